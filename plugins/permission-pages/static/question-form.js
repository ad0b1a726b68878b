// The page works without this script; it adds comfort: only the fields that a permission takes are shown.
const action = document.querySelector("select[data-question]");
const fields = document.querySelectorAll("[data-shown-for]");

const showFields = () => {
  const { dataset } = action.selectedOptions[0];
  for (const field of fields) {
    field.hidden = dataset[field.dataset.shownFor] !== "true";
    if (field.hidden) field.querySelector("input").value = "";
  }
};

action.addEventListener("change", showFields);
showFields();
