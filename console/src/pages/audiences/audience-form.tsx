import { Button, Fieldset, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Condition } from '../../../../src/features/audiences/condition.js';
import { contactFieldsQuery } from '../../api/account/contact-fields.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { findFieldProblem } from '../../api/client/request.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { Section } from '../../ui/layout/section.js';
import { ConditionFields } from './condition-fields.js';
import { buildCondition, newCondition, toEdited } from './edited-condition.js';
import { PreviewSection, useAudiencePreview } from './preview-section.js';
import { findKind } from './test-fields.js';

const words = text.audiences;

interface AudienceFormProps {
  channelRef: ChannelRef;
  /** Null for a new audience. */
  initial: { name: string; condition: Condition } | null;
  submit: string;
  readOnly?: boolean;
  onSubmit(audience: { name: string; condition: Condition }): Promise<unknown>;
}

export function AudienceForm({ channelRef, initial, submit, readOnly = false, onSubmit }: AudienceFormProps) {
  const fields = useQuery(contactFieldsQuery(channelRef.accountId));
  const [name, setName] = useState(initial?.name ?? '');
  const [edited, setEdited] = useState(() => (initial ? toEdited(initial.condition) : newCondition()));
  const definitions = fields.data ?? [];
  const { condition, paths } = buildCondition(edited, (field) => findKind(field, definitions));
  // Operators who may not change audiences may not preview conditions either.
  const preview = useAudiencePreview(channelRef, readOnly || !fields.data ? null : condition);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => onSubmit({ name, condition: condition as Condition }),
  });
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (condition) mutate();
  };
  const findProblem = (key: string, field: string) => {
    const path = `${paths.get(key)}.${field}`;
    return condition ? (findFieldProblem(preview.error, path) ?? findFieldProblem(error, path)) : undefined;
  };
  const loadingError = fields.error;
  return (
    <form onSubmit={save}>
      <Fieldset variant="unstyled" disabled={readOnly}>
        <Stack>
          {loadingError && <ErrorState error={loadingError} />}
          <Section>
            <TextInput
              label={words.name}
              required
              maxLength={200}
              value={name}
              error={findFieldProblem(error, 'name')}
              onChange={(event) => setName(event.currentTarget.value)}
            />
          </Section>
          <Section title={words.conditions}>
            <ConditionFields
              channelRef={channelRef}
              condition={edited}
              fields={definitions}
              findProblem={findProblem}
              onChange={setEdited}
            />
          </Section>
          {!readOnly && <PreviewSection channelRef={channelRef} preview={preview} isComplete={condition !== null} />}
          {(error ?? preview.error) && <ErrorState error={error ?? preview.error} />}
          {!readOnly && (
            <Group justify="flex-end">
              <Button type="submit" loading={isPending} disabled={condition === null}>
                {submit}
              </Button>
            </Group>
          )}
        </Stack>
      </Fieldset>
    </form>
  );
}
