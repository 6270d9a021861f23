import { Group, NativeSelect, NumberInput, Stack, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { StepDraft } from '../../api/automations.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { findFieldProblem } from '../../api/client/request.js';
import { groupsQuery } from '../../api/people.js';
import { templatesQuery } from '../../api/templates.js';
import { ParameterFields } from '../../shared/templates/parameter-fields.js';
import { listSlots } from '../../shared/templates/template-parts.js';
import { buildComponents, readValues } from '../../shared/templates/template-send.js';
import { text } from '../../text/en.js';
import { formatNumber } from '../../ui/values/numbers.js';

const words = text.automations;

interface StepFieldsProps {
  channelRef: ChannelRef;
  step: StepDraft;
  error: unknown;
  /** Path of the step in the request, for example `steps[0]`. */
  path: string;
  onChange(changes: Partial<StepDraft>): void;
}

export function StepFields(props: StepFieldsProps) {
  switch (props.step.type) {
    case 'send_reply':
      return <ReplyFields {...props} />;
    case 'send_template':
      return <TemplateFields {...props} />;
    case 'wait':
      return <WaitFields {...props} />;
    default:
      return <GroupFields {...props} />;
  }
}

function ReplyFields({ step, error, path, onChange }: StepFieldsProps) {
  return (
    <Textarea
      label={words.message}
      description={words.messageHint}
      autosize
      minRows={2}
      required
      maxLength={4096}
      value={step.message ?? ''}
      error={findFieldProblem(error, `${path}.message`)}
      onChange={(event) => onChange({ message: event.currentTarget.value })}
    />
  );
}

const UNITS = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;
type Unit = keyof typeof UNITS;

/** Returns the largest unit in which the time is a whole number. */
function findLargestUnit(seconds: number): Unit {
  return (
    (['days', 'hours', 'minutes'] as const).find((unit) => seconds > 0 && seconds % UNITS[unit] === 0) ?? 'seconds'
  );
}

function WaitFields({ step, error, path, onChange }: StepFieldsProps) {
  const { seconds = 0 } = step;
  const [unit, setUnit] = useState(() => findLargestUnit(seconds));
  return (
    <Group align="flex-start" gap="sm">
      <NumberInput
        label={words.wait}
        w={140}
        min={1}
        required
        allowDecimal={false}
        value={seconds / UNITS[unit]}
        error={findFieldProblem(error, `${path}.seconds`)}
        onChange={(value) => onChange({ seconds: Math.round(Number(value) * UNITS[unit]) })}
      />
      <NativeSelect
        label={words.unit}
        w={140}
        value={unit}
        onChange={(event) => {
          const next = event.currentTarget.value as Unit;
          setUnit(next);
          onChange({ seconds: Math.round((seconds / UNITS[unit]) * UNITS[next]) });
        }}
        data={(Object.keys(UNITS) as Unit[]).map((value) => ({ value, label: words.units[value] }))}
      />
    </Group>
  );
}

function GroupFields({ channelRef, step, error, path, onChange }: StepFieldsProps) {
  const { data = [] } = useQuery(groupsQuery(channelRef));
  const isListed = data.some(({ id }) => id === step.groupId);
  return (
    <NativeSelect
      label={words.group}
      required
      value={step.groupId ?? ''}
      error={findFieldProblem(error, `${path}.groupId`)}
      onChange={(event) => onChange({ groupId: event.currentTarget.value })}
      data={[
        { value: '', label: words.choose },
        ...(step.groupId && !isListed ? [{ value: step.groupId, label: words.unknownGroup }] : []),
        ...data.map(({ id, name, contactCount }) => ({ value: id, label: `${name} (${formatNumber(contactCount)})` })),
      ]}
    />
  );
}

function TemplateFields({ channelRef, step, error, path, onChange }: StepFieldsProps) {
  const { data } = useQuery(templatesQuery(channelRef.accountId, channelRef.channelId));
  const approved = data?.templates.filter(({ status }) => status === 'APPROVED') ?? [];
  const template = approved.find(({ name, language }) => name === step.templateName && language === step.language);
  const slots = template ? listSlots(template.components) : [];
  const chosenLabel = step.templateName ? `${step.templateName} (${step.language})` : '';
  return (
    <Stack gap="sm">
      <NativeSelect
        label={words.template}
        required
        value={chosenLabel}
        error={findFieldProblem(error, `${path}.templateName`)}
        onChange={(event) => {
          const next = approved.find(({ name, language }) => `${name} (${language})` === event.currentTarget.value);
          onChange({ templateName: next?.name ?? '', language: next?.language ?? '', components: [] });
        }}
        data={[
          { value: '', label: words.choose },
          ...(chosenLabel && !template ? [chosenLabel] : []),
          ...approved.map(({ name, language }) => `${name} (${language})`),
        ]}
      />
      {template && (
        <ParameterFields
          template={template.components}
          slots={slots}
          values={readValues(slots, step.components ?? [])}
          error={error}
          root={`${path}.components`}
          more={['{{variables.message}}']}
          onChange={(values) =>
            onChange({ components: buildComponents(slots, values) as NonNullable<StepDraft['components']> })
          }
        />
      )}
    </Stack>
  );
}
