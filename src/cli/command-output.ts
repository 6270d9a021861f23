import type { Writable } from 'node:stream';

/** As a shell reports a program that SIGPIPE ended: the reader, such as `head`, closed the pipe and knows. */
const READER_GONE = 128 + 13;

/** The result of a command could not be written. */
export class OutputError extends Error {
  readonly exitCode: number;
  /** Whether the reader closed the pipe, which needs no message. */
  readonly isReaderGone: boolean;

  constructor(cause: NodeJS.ErrnoException) {
    super(
      `Standard output could not be written: ${cause.message}. The result is incomplete; changes that were made are kept.`,
      { cause },
    );
    this.name = 'OutputError';
    this.isReaderGone = cause.code === 'EPIPE';
    this.exitCode = this.isReaderGone ? READER_GONE : 1;
  }
}

/**
 * Standard output of a command. Once writing has failed, the next write throws, so that the command stops through its
 * own `finally` blocks and stops an embedded PostgreSQL that it started.
 */
export class CommandOutput {
  readonly #stream: Writable;
  #failure: OutputError | null = null;

  constructor(stream: Writable) {
    this.#stream = stream;
    // Each write learns of its own failure; without a listener the process would end.
    stream.on('error', () => undefined);
  }

  /** Why something could not be written; null while everything was. */
  get failure(): OutputError | null {
    return this.#failure;
  }

  /** @throws {OutputError} when an earlier write failed */
  write(text: string): void {
    if (this.#failure) throw this.#failure;
    this.#stream.write(text, (error) => this.#recordFailure(error));
  }

  /**
   * Resolves once everything is written.
   * @throws {OutputError} when it cannot be
   */
  async drained(): Promise<void> {
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
