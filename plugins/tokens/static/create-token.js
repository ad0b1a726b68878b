// The page works without this script; it adds comfort.

// A duration is asked for only where it counts.
const type = document.querySelector("select[name=expire_type]");
const duration = document.querySelector(".expire-duration");
const showDuration = () => (duration.hidden = type.value === "");
type.addEventListener("change", showDuration);
showDuration();

// A database or table is picked from a menu before its actions are shown: there may be hundreds of them.
const restrictions = document.querySelector("[data-restrictions]");
const places = [...(restrictions?.querySelectorAll("fieldset[data-place]") ?? [])];
if (places.length > 0) {
  const menu = document.createElement("select");
  menu.append(
    new Option("Choose a database or a table…", ""),
    ...places.map((place, index) => new Option(place.querySelector("legend").textContent, String(index))),
  );
  const label = document.createElement("label");
  label.className = "token-place";
  label.append("Allow more in ", menu);
  // Places are listed one after the other, without the groups that the page has without scripts.
  for (const part of restrictions.querySelectorAll("h2, details.token-tables")) part.remove();
  restrictions.append(...places, label);
  for (const place of places) place.hidden = place.querySelector(":checked") === null;
  menu.addEventListener("change", () => {
    const place = places[Number(menu.value)];
    if (menu.value === "" || !place) return;
    place.hidden = false;
    label.before(place);
    menu.selectedOptions[0].disabled = true;
    menu.value = "";
    place.querySelector("input").focus();
  });
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    field.select();
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
  });
}
