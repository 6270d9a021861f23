import { expect, it } from 'vitest';
import { createLogger } from '../../src/process/logger.js';

it('the logger never writes keys, recipients, texts or quoted rows', () => {
  const lines: string[] = [];
  const log = createLogger({ logLevel: 'info', logFormat: 'json' }, { write: (line: string) => void lines.push(line) });
  const error = Object.assign(new Error('violates check constraint'), { detail: 'Failing row contains (secret)' });
  log.info({ to: 'secret', body: 'secret', apiKey: 'secret', headers: { authorization: 'Bearer secret' } }, 'one');
  log.error({ err: error }, 'two');
  expect(lines).toHaveLength(2);
  expect(lines.join()).not.toContain('secret');
});
