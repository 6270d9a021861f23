import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * With TEST_STATEMENTS=FOLDER, each process records its SQL statements for scripts/explain-by-account.mjs. With
 * TEST_STATEMENT_TEXTS=FOLDER, each process records only the texts of its statements, for scripts/prepare-statements.mjs.
 */
const folder = process.env.TEST_STATEMENTS;

if (folder) {
  const file = join(folder, `${process.pid}.jsonl`);
  // Recording starts only once per process, although a process runs several test files.
  const once = globalThis as { isRecording?: boolean };
  if (!once.isRecording) {
    once.isRecording = true;
    const { recordStatements } = await import('../store/recorder.js');
    recordStatements((statement) => appendFileSync(file, `${JSON.stringify(statement)}\n`));
  }
}

const texts = process.env.TEST_STATEMENT_TEXTS;

if (texts) {
  const once = globalThis as { recordsTexts?: boolean };
  if (!once.recordsTexts) {
    once.recordsTexts = true;
    const { recordTexts } = await import('../store/statement-texts.js');
    const file = join(texts, `${process.pid}.jsonl`);
    recordTexts((text) => appendFileSync(file, `${JSON.stringify(text)}\n`));
  }
}
