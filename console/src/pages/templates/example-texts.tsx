import { Fieldset, Stack, TextInput } from '@mantine/core';
import { text } from '../../text/en.js';
import { listSampleSlots, type SampleSlot } from './draft.js';
import type { DraftFields } from './draft-fields.js';

const words = text.templates;

interface ExampleTextsProps {
  fields: DraftFields;
  set(changes: Partial<DraftFields>): void;
}

export function ExampleTexts({ fields, set }: ExampleTextsProps) {
  const slots = listSampleSlots(fields);
  if (slots.length === 0) return null;
  return (
    <Fieldset legend={words.exampleHint}>
      <Stack gap="xs">
        {slots.map((slot) => (
          <TextInput
            key={slot.id}
            label={formatSampleLabel(slot)}
            value={fields.examples[slot.id] ?? ''}
            onChange={({ currentTarget: { value } }) => set({ examples: { ...fields.examples, [slot.id]: value } })}
          />
        ))}
      </Stack>
    </Fieldset>
  );
}

function formatSampleLabel({ prefix, key }: SampleSlot): string {
  const [, card, part = ''] = /^(?:card(\d+)\.)?(.*)$/.exec(prefix) ?? [];
  const partName =
    part === 'header' || part === 'body' ? words.parts[part] : words.buttonNo(Number(part.slice('button'.length)) + 1);
  const label = key === '' ? words.exampleOfCode : words.example(words.slot(partName, key));
  return card === undefined ? label : words.ofCard(Number(card) + 1, label);
}
