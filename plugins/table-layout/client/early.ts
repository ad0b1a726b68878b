/** Runs before the page is drawn: rows of another height would move later. */
import { storedDensity } from "./layout.js";

document.documentElement.dataset["density"] = storedDensity();
