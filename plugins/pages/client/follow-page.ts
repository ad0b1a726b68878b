/**
 * Lets the page scroll the rows, and their headings stay at the top of the window. The box of the rows scrolls sideways
 * only. Browsers without scroll timelines keep a box that scrolls both ways.
 */
export function letHeadingFollowPage(): void {
  if (!CSS.supports("animation-timeline", "view()")) return;
  const wrapper = document.querySelector<HTMLElement>("body.table .table-wrapper");
  const head = wrapper?.querySelector<HTMLElement>("thead");
  if (!wrapper || !head) return;
  wrapper.classList.add("follows-page");
  // The heading moves by as much as the page scrolls, from the top of the rows to their end. Cells would inherit a
  // property of their box, so that all of them would get their style again.
  new ResizeObserver(() => head.style.setProperty("--rows-height", `${wrapper.offsetHeight}px`)).observe(
    wrapper,
  );
}
