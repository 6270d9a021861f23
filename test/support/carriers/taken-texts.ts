import { beforeAll, vi } from 'vitest';
import type { TestApp } from '../test-app.js';
import { waitFor } from '../wait-for.js';

/** Notes what the simulator of a suite's application is given, which no row and no answer tells. */
export function takenTexts(heliograph: TestApp) {
  const texts = new Map<string, string>();
  beforeAll(() => {
    const carrier = heliograph.deps.carriers.get('simulator');
    const submit = carrier.submit.bind(carrier);
    vi.spyOn(carrier, 'submit').mockImplementation((message, signal) => {
      texts.set(message.id, message.body);
      return submit(message, signal);
    });
  });
  /** The text of a message, once the carrier has it. */
  const textOf = (messageId: string) => waitFor('the message at the carrier', async () => texts.get(messageId) ?? null);
  /** The first run of digits in it. */
  const codeOf = async (messageId: string) => (await textOf(messageId)).match(/\d{4,10}/)?.[0] as string;
  return { texts, textOf, codeOf };
}

/** Another code of the same length. */
export const otherThan = (code: string) => String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');
