import { Button, Fieldset, Group, NumberInput, Stack, Switch, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { AutomationDraft } from '../../api/automations.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { findFieldProblem } from '../../api/client/request.js';
import { text } from '../../text/en.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { useReportTouched } from '../../ui/forms/use-versioned-form.js';
import { Section } from '../../ui/layout/section.js';
import { newKey } from './new-key.js';
import { type EditedStep, StepList } from './step-list.js';

const words = text.automations;

interface AutomationFormProps {
  channelRef: ChannelRef;
  initial: AutomationDraft;
  submit: string;
  readOnly?: boolean;
  onTouched?(): void;
  onSubmit(draft: AutomationDraft): Promise<unknown>;
}

export function AutomationForm({
  channelRef,
  initial,
  submit,
  readOnly = false,
  onTouched,
  onSubmit,
}: AutomationFormProps) {
  const [form, setForm] = useState(initial);
  const [steps, setSteps] = useState<readonly EditedStep[]>(() =>
    initial.steps.map((step) => ({ ...step, key: newKey() })),
  );
  useReportTouched(onTouched, form, steps);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => onSubmit({ ...form, steps: steps.map(({ key: _key, ...step }) => step) }),
  });
  const save = (event: FormEvent) => {
    event.preventDefault();
    mutate();
  };
  const input = (field: 'name' | 'keyword') => ({
    value: form[field] ?? '',
    error: findFieldProblem(error, field),
    onChange: (event: { currentTarget: { value: string } }) => setForm({ ...form, [field]: event.currentTarget.value }),
  });
  return (
    <form onSubmit={save}>
      <Fieldset variant="unstyled" disabled={readOnly}>
        <Stack>
          <Section title={words.start}>
            <TextInput label={words.name} required maxLength={255} {...input('name')} />
            <TextInput label={words.keyword} description={words.keywordHint} maxLength={100} {...input('keyword')} />
            <NumberInput
              label={words.cooldown}
              description={words.cooldownHint}
              value={form.cooldownSeconds ?? 60}
              min={0}
              max={2_592_000}
              allowDecimal={false}
              error={findFieldProblem(error, 'cooldownSeconds')}
              onChange={(value) => setForm({ ...form, cooldownSeconds: Number(value) })}
            />
            <Switch
              label={words.active}
              description={words.activeHint}
              checked={form.isActive ?? true}
              onChange={(event) => setForm({ ...form, isActive: event.currentTarget.checked })}
            />
          </Section>
          <Section title={words.steps} lead={words.stepsLead}>
            <StepList channelRef={channelRef} steps={steps} error={error} readOnly={readOnly} onChange={setSteps} />
          </Section>
          {error && <ErrorState error={error} />}
          {!readOnly && (
            <Group justify="flex-end">
              <Button type="submit" loading={isPending} disabled={steps.length === 0}>
                {submit}
              </Button>
            </Group>
          )}
        </Stack>
      </Fieldset>
    </form>
  );
}
