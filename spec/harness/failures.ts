/** The error a promise rejects with. @throws Error when it does not */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw new Error(`It rejected with something that is no error: ${String(error)}`, { cause: error });
  }
  throw new Error("It was expected to fail and did not");
}
