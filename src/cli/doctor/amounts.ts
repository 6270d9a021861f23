const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** For example `1.2 GB`. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; value >= 1000 && unit < UNITS.length - 1; unit++) value /= 1000;
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** For example `3 hours`. */
export function formatDuration(seconds: number): string {
  const [unit, length] = (
    [
      ['day', 86_400],
      ['hour', 3_600],
      ['minute', 60],
    ] as const
  ).find(([, duration]) => seconds >= duration) ?? ['second', 1];
  return formatCount(Math.floor(seconds / length), unit);
}

/** `1 message`, `2 messages`. */
export function formatCount(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** Returns, for example, `a, b and 3 more`. */
export function listSome(names: readonly string[], limit = 5): string {
  const more = names.length - limit;
  return more > 0 ? `${names.slice(0, limit).join(', ')} and ${more} more` : names.join(', ');
}
