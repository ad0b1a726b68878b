const WIDTH = 30;

/** Shows progress: a bar on a terminal, otherwise one line for each step. */
export function progress(total: number) {
  const isTerminal = process.stderr.isTTY === true;
  return {
    /** @param done the number of finished steps @param step the current step */
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
