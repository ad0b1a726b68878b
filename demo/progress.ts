const WIDTH = 30;

/** Shows how far a piece of work has come: a bar on a terminal, a line a step elsewhere. */
export function progress(total: number) {
  const isTerminal = process.stderr.isTTY === true;
  return {
    /** @param done steps finished; `step` is what happens now */
    show(done: number, step: string): void {
      const filled = Math.round((WIDTH * done) / total);
      const bar = `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
      process.stderr.write(isTerminal ? `\r\u001b[K${bar} ${step}` : `${done}/${total} ${step}\n`);
    },
    end(): void {
      if (isTerminal) process.stderr.write("\r\u001b[K");
    },
  };
}
