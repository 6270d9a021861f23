import type { Channel } from '../../api/account/account.js';

/** The parts of a key that are shown only once. */
interface Fresh {
  key: string;
  secret: string;
}

/**
 * Formats a key as a `.env` file. The playground's code samples read these variables.
 * @param channels the key's channels; the first one is set, and the others are added as comments
 */
export function envFile({ key, secret }: Fresh, channels: readonly Pick<Channel, 'id' | 'name'>[]): string {
  const lines = channels.map(({ id, name }, index) => {
    return [`# ${name.replaceAll(/\s+/g, ' ')}`, `${index === 0 ? '' : '# '}HELIOGRAPH_CHANNEL=${id}`];
  });
  return [`HELIOGRAPH_KEY=${key}`, `HELIOGRAPH_SECRET=${secret}`, ...lines.flat(), ''].join('\n');
}
