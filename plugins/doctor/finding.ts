/** The result of one check. */
export interface Finding {
  /** `problem`: something does not work. `warning`: it works, and could be better. */
  readonly level: "ok" | "warning" | "problem";
  /** What was checked: a file, or a part of the installation. */
  readonly subject: string;
  readonly text: string;
  /** What to do; absent for `ok`. */
  readonly advice?: string;
}

export const ok = (subject: string, text: string): Finding => ({ level: "ok", subject, text });

export const warning = (subject: string, text: string, advice: string): Finding => ({
  level: "warning",
  subject,
  text,
  advice,
});

export const problem = (subject: string, text: string, advice: string): Finding => ({
  level: "problem",
  subject,
  text,
  advice,
});
