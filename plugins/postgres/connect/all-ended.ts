/**
 * Like `Promise.all`, but it settles only after all of the promises have. If one is rejected, none of the others is still
 * running. For statements of one connection, which can then be returned to its pool.
 *
 * @throws the error of the first one in the list that was rejected
 */
export async function allEnded<const Promises extends readonly unknown[]>(
  promises: Promises,
): Promise<{ -readonly [Index in keyof Promises]: Awaited<Promises[Index]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
