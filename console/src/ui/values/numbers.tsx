const INTEGER = new Intl.NumberFormat();
const COMPACT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const PERCENT = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

export const formatNumber = (value: number): string => INTEGER.format(value);

export const formatShare = (value: number): string => PERCENT.format(value);

export function formatMoney(amount: string | number, currency: string): string {
  return new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency,
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
    // The amount stays a string, because converting it to a number could round it.
  }).format(amount as number);
}

interface NumberTextProps {
  value: number | null | undefined;
  /** `compact` shows 12.3K with the full number on hover, and `share` shows a fraction as a percentage. */
  as?: 'whole' | 'compact' | 'share';
}

export function NumberText({ value, as = 'whole' }: NumberTextProps) {
  if (value === null || value === undefined) return <span>–</span>;
  if (as === 'share') return <span>{formatShare(value)}</span>;
  if (as === 'compact') return <span title={formatNumber(value)}>{COMPACT.format(value)}</span>;
  return <span>{formatNumber(value)}</span>;
}

interface MoneyProps {
  amount: string | number | null | undefined;
  currency: string;
}

export function Money({ amount, currency }: MoneyProps) {
  return <span>{amount === null || amount === undefined ? '–' : formatMoney(amount, currency)}</span>;
}

const BYTES = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

export function formatBytes(bytes: number): string {
  const MEGA = 1024 * 1024;
  if (bytes >= MEGA) return `${BYTES.format(bytes / MEGA)} MB`;
  return bytes >= 1024 ? `${BYTES.format(bytes / 1024)} KB` : `${bytes} bytes`;
}
