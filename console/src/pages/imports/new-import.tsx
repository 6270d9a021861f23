import { Alert, FileInput, Stack } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { ChannelRef } from '../../api/channel-ref.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { Section } from '../../ui/layout/section.js';
import { ImportProgress } from './import-progress.js';
import type { PreparedImport } from './map-columns.js';
import type { CsvFile } from './mapping.js';
import type { ReadOptions } from './read-csv.js';

const words = text.imports;
/**
 * The component is loaded only after a file has been chosen, because its code includes the numbering plans of all countries.
 */
const MapColumns = lazy(async () => ({ default: (await import('./map-columns.js')).MapColumns }));

type Step =
  | { kind: 'choice'; problem?: string }
  | { kind: 'reading' }
  | { kind: 'mapping'; file: CsvFile }
  | { kind: 'sending'; prepared: PreparedImport };

function importTitle(step: Step): string {
  if (step.kind === 'mapping') return step.file.name;
  return step.kind === 'sending' ? step.prepared.options.fileName : words.choose;
}

export function NewImport({ channelRef, atOnce }: { channelRef: ChannelRef; atOnce: boolean }) {
  const [step, setStep] = useState<Step>({ kind: 'choice' });
  const read = async (chosenFile: File | null, options: ReadOptions = {}) => {
    if (!chosenFile) return;
    setStep({ kind: 'reading' });
    try {
      const { readCsv } = await import('./read-csv.js');
      const file = await readCsv(chosenFile, options);
      const problem = file.header.length === 0 ? words.emptyFile : words.noRows;
      setStep(file.rows.length > 0 ? { kind: 'mapping', file } : { kind: 'choice', problem });
    } catch (error) {
      setStep({ kind: 'choice', problem: `${words.failed}. ${error instanceof Error ? error.message : ''}` });
    }
  };
  const restart = () => setStep({ kind: 'choice' });
  return (
    <Section title={importTitle(step)}>
      {step.kind === 'choice' && (
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
      {step.kind === 'reading' && <LoadingState lines={3} />}
      {step.kind === 'mapping' && (
        <Suspense fallback={<LoadingState lines={3} />}>
          <MapColumns
            channelRef={channelRef}
            file={step.file}
            onRead={(options) => void read(step.file.source, options)}
            onStart={(prepared) => setStep({ kind: 'sending', prepared })}
            onCancel={restart}
          />
        </Suspense>
      )}
      {step.kind === 'sending' && (
        <ImportProgress channelRef={channelRef} prepared={step.prepared} onRestart={restart} />
      )}
    </Section>
  );
}
