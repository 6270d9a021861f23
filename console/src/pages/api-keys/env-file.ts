import type { Channel } from '../../api/account/account.js';

/** What is shown of a key this once. */
interface Fresh {
  key: string;
  secret: string;
}

/**
 * A key as lines of a file `.env`, with the names that the playground's programs read.
 * @param channels that it acts for; of several the first is set, and the others are comments beside it
 */
export function envFile({ key, secret }: Fresh, channels: readonly Pick<Channel, 'id' | 'name'>[]): string {
  const lines = channels.map(({ id, name }, index) => {
    return [`# ${name.replaceAll(/\s+/g, ' ')}`, `${index === 0 ? '' : '# '}HELIOGRAPH_CHANNEL=${id}`];
  });
  return [`HELIOGRAPH_KEY=${key}`, `HELIOGRAPH_SECRET=${secret}`, ...lines.flat(), ''].join('\n');
}
