/** The link to the views of a table takes along the chart that is open: only browsers know the text after `#`. */
document.addEventListener("click", ({ target }) => {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href*="/-/views"]') : null;
  if (link === null || location.hash === "" || !link.pathname.endsWith("/-/views")) return;
  const query = new URLSearchParams(link.search);
  query.set("fragment", location.hash.slice(1));
  link.search = query.toString();
});
