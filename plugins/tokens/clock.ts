/** The current time in whole seconds since 1970. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
