import { text } from '../text/en.js';
import { StatusBadge } from '../ui/values/status-badge.js';

const words = text.templates;
/** Meta's words for how people take what is sent. */
const COLORS: Readonly<Record<string, string>> = { GREEN: 'green', YELLOW: 'yellow', RED: 'red' };

/** How a template or a number is received, as its carrier says; nothing where that is not known. */
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
