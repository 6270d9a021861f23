import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * With TEST_STATEMENTS=FOLDER, each process records its statements for scripts/explain-by-account.mjs. With
 * TEST_STATEMENT_TEXTS=FOLDER it records only their texts, for scripts/prepare-statements.mjs.
 */
const folder = process.env.TEST_STATEMENTS;

if (folder) {
  const file = join(folder, `${process.pid}.jsonl`);
  // One recording per process, which runs several test files.
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
