import type { PinpointSMSVoiceV2Client, SendTextMessageCommandInput } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import type { HttpCall } from '../../http/client.js';

export interface AwsOptions {
  /** Where the API is. */
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** What the SDK made of a request, as far as it is needed here. */
interface WrittenRequest {
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/** The connection sets these itself, or the call names them elsewhere. */
const ELSEWHERE = new Set(['host', 'content-length', 'content-type', 'authorization']);

/**
 * Has the SDK of AWS write `SendTextMessage` of AWS End User Messaging and sign it (Signature Version 4). It sends nothing
 * itself: the request goes out as any other, with its deadline, its log and the guard against private addresses, and nobody
 * repeats it. The SDK is loaded with the first request.
 */
export function byAwsSdk(options: AwsOptions): (call: HttpCall) => Promise<HttpCall> {
  let opening: Promise<{ sdk: Sdk; client: PinpointSMSVoiceV2Client }> | null = null;
  return async (call) => {
    opening ??= open(options).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    const { sdk, client } = await opening;
    const command = new sdk.SendTextMessageCommand(call.json as SendTextMessageCommandInput);
    let written: WrittenRequest | null = null;
    command.middlewareStack.add(
      () =>
        async ({ request }) => {
          written = request as WrittenRequest;
          return { response: null, output: { MessageId: undefined, $metadata: {} } };
        },
      { step: 'finalizeRequest', priority: 'low', name: 'written' },
    );
    await client.send(command);
    return { ...without(call), ...contentOf(written) };
  };
}

type Sdk = Awaited<ReturnType<typeof load>>;

function load() {
  return import('@aws-sdk/client-pinpoint-sms-voice-v2');
}

async function open({ endpoint, region, accessKeyId, secretAccessKey }: AwsOptions) {
  const sdk = await load();
  const credentials = { accessKeyId, secretAccessKey };
  // What the machine has in variables and files of AWS is not this carrier's.
  const client = new sdk.PinpointSMSVoiceV2Client({
    ...{ endpoint, region, credentials, maxAttempts: 1, retryMode: 'standard' },
    ...{ useDualstackEndpoint: false, useFipsEndpoint: false },
  });
  return { sdk, client };
}

function without({ json: _, ...call }: HttpCall): HttpCall {
  return call;
}

function contentOf(written: WrittenRequest | null): Pick<HttpCall, 'headers' | 'authorization' | 'text'> {
  if (!written) throw new Error('the SDK wrote no request');
  const { headers, body } = written;
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    headers: Object.fromEntries(Object.entries(named).filter(([name]) => !ELSEWHERE.has(name))),
    authorization: named.authorization ?? '',
    text: { type: named['content-type'] ?? '', body: typeof body === 'string' ? body : new TextDecoder().decode(body) },
  };
}
