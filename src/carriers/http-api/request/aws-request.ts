import type { PinpointSMSVoiceV2Client, SendTextMessageCommandInput } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import type { HttpCall } from '../../http/client.js';

export interface AwsOptions {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

interface SdkRequest {
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/** Headers that are set by the connection or by other fields of the call. */
const EXCLUDED_HEADERS = new Set(['host', 'content-length', 'content-type', 'authorization']);

/**
 * The AWS SDK only builds and signs the request. Our HTTP client sends the request, because it has a timeout and the
 * call log, and refuses private addresses.
 */
export function byAwsSdk(options: AwsOptions): (call: HttpCall) => Promise<HttpCall> {
  let pendingClient: Promise<{ sdk: Sdk; client: PinpointSMSVoiceV2Client }> | null = null;
  return async (call) => {
    pendingClient ??= open(options).catch((error: unknown) => {
      pendingClient = null;
      throw error;
    });
    const { sdk, client } = await pendingClient;
    const command = new sdk.SendTextMessageCommand(call.json as SendTextMessageCommandInput);
    let sdkRequest: SdkRequest | null = null;
    command.middlewareStack.add(
      () =>
        async ({ request }) => {
          sdkRequest = request as SdkRequest;
          return { response: null, output: { MessageId: undefined, $metadata: {} } };
        },
      { step: 'finalizeRequest', priority: 'low', name: 'written' },
    );
    await client.send(command);
    return { ...omitJson(call), ...toCallContent(sdkRequest) };
  };
}

type Sdk = Awaited<ReturnType<typeof load>>;

function load() {
  return import('@aws-sdk/client-pinpoint-sms-voice-v2');
}

async function open({ endpoint, region, accessKeyId, secretAccessKey }: AwsOptions) {
  const sdk = await load();
  const credentials = { accessKeyId, secretAccessKey };
  // AWS credentials and settings in environment variables are ignored.
  const client = new sdk.PinpointSMSVoiceV2Client({
    ...{ endpoint, region, credentials, maxAttempts: 1, retryMode: 'standard' },
    ...{ useDualstackEndpoint: false, useFipsEndpoint: false },
  });
  return { sdk, client };
}

function omitJson({ json: _, ...call }: HttpCall): HttpCall {
  return call;
}

function toCallContent(request: SdkRequest | null): Pick<HttpCall, 'headers' | 'authorization' | 'text'> {
  if (!request) throw new Error('the AWS SDK built no request');
  const { body } = request;
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !EXCLUDED_HEADERS.has(name))),
    authorization: headers.authorization ?? '',
    text: {
      type: headers['content-type'] ?? '',
      body: typeof body === 'string' ? body : new TextDecoder().decode(body),
    },
  };
}
