/** By Prisma error code. */
const ADVICE: Record<string, string> = {
  P2021: 'The database has no tables, or outdated ones: run "heliograph migrate" first.',
  P2022: 'The database has outdated tables: run "heliograph migrate" first.',
};

/** Describes an error without URLs, which may contain a password. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && ADVICE[code]) return ADVICE[code];
  // When a connection fails on several addresses, Node.js throws an AggregateError without a message.
  if (error instanceof AggregateError) return error.errors.map(explain).join('; ');
  // Prisma's messages begin with an excerpt of our source code, so only the last line is used.
  if (error.name.startsWith('PrismaClient')) return error.message.trim().split('\n').at(-1) as string;
  return error.message || String(code ?? error.name);
}

export function explainWithCauses(error: unknown): string {
  const message = explain(error).replace(/\.$/, '');
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && !message.includes(cause.message)
    ? `${message}: ${explainWithCauses(cause)}`
    : message;
}
