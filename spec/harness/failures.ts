/** The error with which a promise rejects. @throws Error if it does not reject */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw new Error(`The promise rejected with a value that is not an Error: ${String(error)}`, {
      cause: error,
    });
  }
  throw new Error("The promise was expected to reject, but it resolved");
}
