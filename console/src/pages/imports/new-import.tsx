import { Alert, FileInput, Stack } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { Place } from '../../api/people.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { Section } from '../../ui/layout/section.js';
import { ImportProgress } from './import-progress.js';
import type { Prepared } from './map-columns.js';
import type { CsvFile } from './mapping.js';
import type { SaidOfFile } from './read-csv.js';

const words = text.imports;
/** With it come the numbering plans of all countries, which are fetched once there is a file. */
const MapColumns = lazy(async () => ({ default: (await import('./map-columns.js')).MapColumns }));

/** Where a new import stands, from the choice of a file to its end. */
type Step =
  | { at: 'choice'; problem?: string }
  | { at: 'reading' }
  | { at: 'mapping'; file: CsvFile }
  | { at: 'sending'; prepared: Prepared };

function titleOf(step: Step): string {
  if (step.at === 'mapping') return step.file.name;
  return step.at === 'sending' ? step.prepared.options.fileName : words.choose;
}

/** An import in the making: a file, its columns, then its progress. */
export function NewImport({ place, atOnce }: { place: Place; atOnce: boolean }) {
  const [step, setStep] = useState<Step>({ at: 'choice' });
  const read = async (chosen: File | null, said: SaidOfFile = {}) => {
    if (!chosen) return;
    setStep({ at: 'reading' });
    try {
      // What reads CSV is fetched when the first file is.
      const { readCsv } = await import('./read-csv.js');
      const file = await readCsv(chosen, said);
      const problem = file.header.length === 0 ? words.emptyFile : words.noRows;
      setStep(file.rows.length > 0 ? { at: 'mapping', file } : { at: 'choice', problem });
    } catch (error) {
      setStep({ at: 'choice', problem: `${words.failed}. ${error instanceof Error ? error.message : ''}` });
    }
  };
  const restart = () => setStep({ at: 'choice' });
  return (
    <Section title={titleOf(step)}>
      {step.at === 'choice' && (
        <Stack>
          {step.problem && (
            <Alert color="red" variant="light" icon={<Icon name="warning" />} role="alert">
              {step.problem}
            </Alert>
          )}
          <FileInput
            label={words.file}
            description={words.chooseHint}
            placeholder={words.choose}
            accept=".csv,.tsv,.txt,text/csv,text/plain,text/tab-separated-values"
            leftSection={<Icon name="upload" size={16} />}
            onChange={(file) => void read(file)}
            data-autofocus={atOnce || undefined}
            maw={520}
          />
        </Stack>
      )}
      {step.at === 'reading' && <LoadingState lines={3} />}
      {step.at === 'mapping' && (
        <Suspense fallback={<LoadingState lines={3} />}>
          <MapColumns
            place={place}
            file={step.file}
            onRead={(said) => void read(step.file.source, said)}
            onStart={(prepared) => setStep({ at: 'sending', prepared })}
            onCancel={restart}
          />
        </Suspense>
      )}
      {step.at === 'sending' && <ImportProgress place={place} prepared={step.prepared} onRestart={restart} />}
    </Section>
  );
}
