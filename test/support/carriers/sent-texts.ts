import { beforeAll, vi } from 'vitest';
import type { TestApp } from '../test-app.js';
import { waitFor } from '../wait-for.js';

/** Records the texts that the simulator receives, because Heliograph neither stores nor returns them. */
export function recordSentTexts(heliograph: TestApp) {
  const texts = new Map<string, string>();
  beforeAll(() => {
    const carrier = heliograph.deps.carriers.get('simulator');
    const submit = carrier.submit.bind(carrier);
    vi.spyOn(carrier, 'submit').mockImplementation((message, signal) => {
      texts.set(message.id, message.body);
      return submit(message, signal);
    });
  });
  const waitForText = (messageId: string) =>
    waitFor('the message at the carrier', async () => texts.get(messageId) ?? null);
  const waitForCode = async (messageId: string) => (await waitForText(messageId)).match(/\d{4,10}/)?.[0] as string;
  return { texts, waitForText, waitForCode };
}

export const makeWrongCode = (code: string) =>
  String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0');
