// The page works without this script; it adds comfort.

// A duration is asked for only where it counts.
const type = document.querySelector("select[name=expire_type]");
const duration = document.querySelector(".expire-duration");
const showDuration = () => (duration.hidden = type.value === "");
type.addEventListener("change", showDuration);
showDuration();

// Enter in the field for places shows their actions. It does not create the token.
document.querySelector("#token-place")?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  document.querySelector("button[name=add]").click();
});

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    field.select();
    // Pages that are not sent over HTTPS have no clipboard object.
    if (navigator.clipboard) await navigator.clipboard.writeText(field.value);
    else if (!document.execCommand("copy")) return;
    button.textContent = button.dataset.copied;
  });
}
