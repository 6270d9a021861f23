const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes in words, e.g. `1.2 GB`. */
export function inBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; value >= 1000 && unit < UNITS.length - 1; unit++) value /= 1000;
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** A length of time in words, by its largest unit, e.g. `3 hours`. */
export function inTime(seconds: number): string {
  const [unit, length] = (
    [
      ['day', 86_400],
      ['hour', 3_600],
      ['minute', 60],
    ] as const
  ).find(([, each]) => seconds >= each) ?? ['second', 1];
  return counted(Math.floor(seconds / length), unit);
}

/** `1 message`, `2 messages`. */
export function counted(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** The first names of a list, and how many more there are. */
export function someOf(names: readonly string[], most = 5): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ');
}
