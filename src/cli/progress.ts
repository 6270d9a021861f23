import type { CliContext } from './context.js';

const WIDTH = 30;
const MIN_PAUSE_MS = 100;

/** Shows progress only if standard error is a terminal. */
export class ProgressBar {
  readonly #context: CliContext;
  readonly #total: number;
  readonly #startedAt = performance.now();
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(context: CliContext, total: number) {
    this.#context = context;
    this.#total = total;
  }

  show(done: number, rows: number, rowsSinceStart: number): void {
    const now = performance.now();
    if (!this.#context.isTerminal || now - this.#drawnAt < MIN_PAUSE_MS) return;
    this.#drawnAt = now;
    const share = this.#total === 0 ? 1 : Math.min(1, done / this.#total);
    const filled = Math.round(share * WIDTH);
    const bar = '#'.repeat(filled) + '-'.repeat(WIDTH - filled);
    const speed = Math.round((rowsSinceStart / Math.max(1, now - this.#startedAt)) * 1000);
    const percent = String(Math.floor(share * 100)).padStart(3);
    this.#context.writeError(`\r[${bar}] ${percent} %  ${format(rows)} rows  ${format(speed)}/s \u001b[K`);
  }

  end(): void {
    if (this.#drawnAt > 0) this.#context.writeError('\r\u001b[K');
  }
}

/** Prints a line per table, and on a terminal also the progress within the table. */
export class TableProgress {
  readonly #context: CliContext;
  #table = '';
  #rows = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(context: CliContext) {
    this.#context = context;
  }

  show(table: string, rows: number): void {
    if (table !== this.#table) this.end();
    this.#table = table;
    this.#rows = rows;
    const now = performance.now();
    if (!this.#context.isTerminal || now - this.#drawnAt < MIN_PAUSE_MS) return;
    this.#drawnAt = now;
    this.#context.writeError(`\r${this.#line()} \u001b[K`);
  }

  end(): void {
    if (this.#table === '') return;
    this.#context.writeError(
      `${this.#context.isTerminal ? '\r' : ''}${this.#line()}${this.#context.isTerminal ? '\u001b[K' : ''}\n`,
    );
    this.#table = '';
  }

  #line(): string {
    return `${this.#table}: ${format(this.#rows)} ${this.#rows === 1 ? 'row' : 'rows'}`;
  }
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}
