import type { Channel } from '../../api/account/account.js';

interface NewKey {
  key: string;
  secret: string;
}

/**
 * Builds an env file with the variables that the playground's code samples read. The variables of all channels except the first
 * are commented out.
 */
export function buildEnvFile({ key, secret }: NewKey, channels: readonly Pick<Channel, 'id' | 'name'>[]): string {
  const lines = channels.map(({ id, name }, index) => {
    return [`# ${name.replaceAll(/\s+/g, ' ')}`, `${index === 0 ? '' : '# '}HELIOGRAPH_CHANNEL=${id}`];
  });
  return [`HELIOGRAPH_KEY=${key}`, `HELIOGRAPH_SECRET=${secret}`, ...lines.flat(), ''].join('\n');
}
