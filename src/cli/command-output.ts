import type { Writable } from 'node:stream';

/** Exit code that shells use for SIGPIPE, when the reader of a pipe, such as `head`, has closed it. */
const SIGPIPE_EXIT_CODE = 128 + 13;

export class OutputError extends Error {
  readonly exitCode: number;
  readonly isReaderGone: boolean;

  constructor(cause: NodeJS.ErrnoException) {
    super(`Could not write to standard output: ${cause.message}. The output is incomplete, but changes were made.`, {
      cause,
    });
    this.name = 'OutputError';
    this.isReaderGone = cause.code === 'EPIPE';
    this.exitCode = this.isReaderGone ? SIGPIPE_EXIT_CODE : 1;
  }
}

/** After a failed write, the next write throws an error, so that the command's `finally` blocks stop an embedded PostgreSQL. */
export class CommandOutput {
  readonly #stream: Writable;
  #failure: OutputError | null = null;

  constructor(stream: Writable) {
    this.#stream = stream;
    // Without a listener, the event `error` would crash the process.
    stream.on('error', () => undefined);
  }

  get failure(): OutputError | null {
    return this.#failure;
  }

  write(text: string): void {
    if (this.#failure) throw this.#failure;
    this.#stream.write(text, (error) => this.#recordFailure(error));
  }

  async waitForOutput(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#stream.write('', (error) => {
        this.#recordFailure(error);
        resolve();
      });
    });
    if (this.#failure) throw this.#failure;
  }

  #recordFailure(error: Error | null | undefined): void {
    if (error) this.#failure ??= new OutputError(error);
  }
}
