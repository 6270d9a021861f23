import type { Channel } from '../../api/account/account.js';

interface NewKey {
  key: string;
  secret: string;
}

/** The playground's code samples read these variables. All channels except the first are added as comments. */
export function buildEnvFile({ key, secret }: NewKey, channels: readonly Pick<Channel, 'id' | 'name'>[]): string {
  const lines = channels.map(({ id, name }, index) => {
    return [`# ${name.replaceAll(/\s+/g, ' ')}`, `${index === 0 ? '' : '# '}HELIOGRAPH_CHANNEL=${id}`];
  });
  return [`HELIOGRAPH_KEY=${key}`, `HELIOGRAPH_SECRET=${secret}`, ...lines.flat(), ''].join('\n');
}
