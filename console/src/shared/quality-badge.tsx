import { text } from '../text/en.js';
import { StatusBadge } from '../ui/values/status-badge.js';

const words = text.templates;
/** By Meta's quality rating. */
const COLORS: Readonly<Record<string, string>> = { GREEN: 'green', YELLOW: 'yellow', RED: 'red' };

export function QualityBadge({ quality }: { quality: string | null | undefined }) {
  const qualities: Readonly<Record<string, string>> = words.qualities;
  if (!quality || quality === 'UNKNOWN') return null;
  return (
    <StatusBadge
      status={quality}
      label={qualities[quality] ?? words.quality(quality)}
      color={COLORS[quality] ?? 'gray'}
    />
  );
}
