/** Larger files are not loaded for the page. */
const MOST_BYTES = 5_000_000;

/** Shows the picture that a BLOB contains, below its link. Whether it is one, the browser finds out. */
export function showPicture(link: HTMLAnchorElement): void {
  if (Number(link.dataset["size"]) > MOST_BYTES) return;
  const image = document.createElement("img");
  image.className = "picture";
  // The link beside it says what it is.
  image.alt = "";
  image.addEventListener("load", () => link.after(image));
  image.src = link.href;
}
