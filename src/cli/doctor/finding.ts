/** `error`: something does not work, or will not for long. `warning`: somebody should look at it. */
export type Severity = 'ok' | 'warning' | 'error';

/** What one check found. */
export interface Finding {
  /** Which check, e.g. `store.encoding`: the part before the dot is the subject. Stable, for scripts. */
  check: string;
  severity: Severity;
  /** In a sentence, without a secret. */
  text: string;
  /** What to do; empty where all is well. */
  advice: string;
}

export function ok(check: string, text: string): Finding {
  return { check, severity: 'ok', text, advice: '' };
}

export function warning(check: string, text: string, advice: string): Finding {
  return { check, severity: 'warning', text, advice };
}

export function error(check: string, text: string, advice: string): Finding {
  return { check, severity: 'error', text, advice };
}

/** By how much a number is past a limit. */
export function severityOf(value: number, limits: { warning: number; error: number }): Severity {
  if (value >= limits.error) return 'error';
  return value >= limits.warning ? 'warning' : 'ok';
}
