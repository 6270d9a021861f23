export class MetaRefusal extends Error {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: number,
    message: string,
    {
      status = 400,
      subcode,
      details,
      headers = {},
    }: { status?: number; subcode?: number; details?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.body = {
      error: {
        message: `(#${code}) ${message}`,
        type: 'OAuthException',
        code,
        ...(subcode !== undefined && { error_subcode: subcode }),
        ...(details !== undefined && { error_data: { messaging_product: 'whatsapp', details } }),
        fbtrace_id: 'AtestTraceOfTheStub',
      },
    };
  }
}

/** Creates Meta's error for unknown IDs and for IDs that the token may not access. */
export function missingObject(id: string): MetaRefusal {
  const message = `Unsupported request. Object with ID '${id}' does not exist or cannot be loaded`;
  return new MetaRefusal(100, message, { subcode: 33 });
}

export function invalidParameter(details: string): MetaRefusal {
  return new MetaRefusal(100, 'Invalid parameter', { details });
}
