/** An `error` means that part of Heliograph does not work, or will soon fail. */
export type Severity = 'ok' | 'warning' | 'error';

export interface Finding {
  /** Stable ID for scripts, in which the part before the dot is the checked subject. */
  check: string;
  severity: Severity;
  /** A sentence without secrets. */
  text: string;
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

export function classifySeverity(value: number, limits: { warning: number; error: number }): Severity {
  if (value >= limits.error) return 'error';
  return value >= limits.warning ? 'warning' : 'ok';
}
