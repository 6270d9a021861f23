import { text } from '../text/en.js';
import { StatusBadge } from '../ui/values/status-badge.js';

const words = text.templates;
/** By Meta's quality rating. */
const COLORS: Readonly<Record<string, string>> = { GREEN: 'green', YELLOW: 'yellow', RED: 'red' };

/** The carrier's quality rating of a template or number; nothing if unknown. */
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
