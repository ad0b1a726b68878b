/** The reader of a pipe may close it early, as `head` does. */
export const isClosedPipe = (error: Error): boolean => (error as NodeJS.ErrnoException).code === "EPIPE";

/** Node ends the process with a stack trace for an error of standard output that has no listener. */
export function allowClosedPipe(): void {
  process.stdout.on("error", (error) => {
    if (!isClosedPipe(error)) throw error;
  });
}
