import { Alert, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { text } from '../../text/en.js';
import { type Draft, findJsonProblem } from './draft.js';
import { BodyFields, isAdvanced, ParameterFields } from './fields.js';
import type { Operation } from './operations.js';

interface RequestFormProps {
  operation: Operation;
  draft: Draft;
  onChange(draft: Draft): void;
}

/** The fields and the JSON editor are two views of the same JSON text. */
export function RequestForm({ operation, draft, onChange }: RequestFormProps) {
  const [view, setView] = useState<'form' | 'json'>('form');
  const { parameters, body } = operation;
  const problem = draft.body === null ? null : findJsonProblem(draft.body);
  const setBody = (next: string) => onChange({ ...draft, body: next });
  const value = problem === null && draft.body !== null ? (JSON.parse(draft.body) as unknown) : null;
  const sharedProps = {
    values: draft.parameters,
    onChange: (next: Draft['parameters']) => onChange({ ...draft, parameters: next }),
  };
  const advanced = parameters.filter(isAdvanced);
  const common = parameters.filter((parameter) => !isAdvanced(parameter));
  const showsFields = view === 'form' && isObject(value);
  return (
    <Stack gap="md">
      {common.length > 0 && <ParameterFields parameters={common} {...sharedProps} />}
      {body && draft.body !== null && (
        <Stack gap="sm">
          <SegmentedControl
            aria-label={text.playground.bodyAs}
            value={view}
            onChange={(next) => setView(next as typeof view)}
            data={[
              { value: 'form', label: text.playground.form },
              { value: 'json', label: text.playground.json },
            ]}
            w="fit-content"
          />
          {view === 'json' && (
            <Textarea
              aria-label={text.playground.body}
              value={draft.body}
              onChange={(event) => setBody(event.currentTarget.value)}
              error={problem && text.playground.notJsonBecause(problem)}
              autosize
              minRows={6}
              maxRows={24}
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.85rem' } }}
            />
          )}
          {view === 'form' && problem !== null && <Alert color="red">{text.playground.notJsonBecause(problem)}</Alert>}
          {showsFields && (
            <BodyFields
              schema={body.schema}
              advanced={{ parameters: advanced, ...sharedProps }}
              value={value}
              onChange={(next) => setBody(JSON.stringify(next, null, 2))}
            />
          )}
        </Stack>
      )}
      {advanced.length > 0 && !showsFields && <ParameterFields parameters={advanced} {...sharedProps} />}
      {parameters.length === 0 && !body && (
        <Text size="sm" c="dimmed">
          {text.playground.noParameters}
        </Text>
      )}
    </Stack>
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
