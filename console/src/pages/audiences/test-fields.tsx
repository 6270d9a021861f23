import { ActionIcon, Fieldset, Group, NativeSelect } from '@mantine/core';
import { BUILT_IN_KINDS, OPERATORS, type TestKind, toCustomKey } from '../../../../src/features/audiences/condition.js';
import type { ContactField } from '../../api/account/contact-fields.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { type EditedTest, listOperators } from './edited-condition.js';
import { ValueField } from './value-field.js';

const words = text.audiences;

const ACTIVITY = ['createdAt', 'lastInboundAt', 'lastOutboundAt', 'campaign', 'optedOut'];
const PERSON = Object.keys(BUILT_IN_KINDS).filter((field) => !ACTIVITY.includes(field));

/** Returns null for a field that the account no longer has. */
export function findKind(field: string, fields: readonly ContactField[]): TestKind | null {
  const key = toCustomKey(field);
  if (key === null) return BUILT_IN_KINDS[field] ?? null;
  return fields.find((each) => each.key === key)?.type ?? null;
}

interface TestFieldsProps {
  channelRef: ChannelRef;
  position: number;
  test: EditedTest;
  fields: readonly ContactField[];
  /** Problem of the test's `field`, `operator` or `value`. */
  findProblem(name: string): string | undefined;
  onChange(test: EditedTest): void;
  /** Absent if the test cannot be removed. */
  onRemove?: (() => void) | undefined;
}

export function TestFields({ channelRef, position, test, fields, findProblem, onChange, onRemove }: TestFieldsProps) {
  const kind = findKind(test.field, fields);
  const changeField = (field: string) => {
    const [operator = test.operator] = OPERATORS[findKind(field, fields) ?? 'text'];
    onChange({ ...test, field, operator, isNegated: false, value: '' });
  };
  const changeOperator = (choice: string) => {
    const option = operators.find((each) => each.value === choice);
    if (option) onChange({ ...test, operator: option.operator, isNegated: option.isNegated });
  };
  const operators = (kind ? listOperators(kind, test) : []).map((each) => ({
    ...each,
    value: `${each.isNegated}:${each.operator}`,
    label: each.isNegated ? words.notOperator(words.operators[each.operator]) : words.operators[each.operator],
  }));
  const option = (field: string) => ({ value: field, label: words.fields[field] ?? field });
  const custom = fields.map(({ key, label }) => ({ value: `fields.${key}`, label }));
  const choices = fields.find(({ key }) => key === toCustomKey(test.field))?.choices ?? [];
  return (
    <Fieldset variant="unstyled" aria-label={words.test(position)}>
      <Group gap="sm" align="flex-start">
        <NativeSelect
          label={words.field}
          flex="1 1 160px"
          value={test.field}
          error={findProblem('field')}
          data={[
            ...(kind === null ? [{ value: test.field, label: words.unknownField(test.field) }] : []),
            { group: words.fieldGroups.person, items: PERSON.map(option) },
            ...(custom.length > 0 ? [{ group: words.fieldGroups.custom, items: custom }] : []),
            { group: words.fieldGroups.activity, items: ACTIVITY.map(option) },
          ]}
          onChange={(event) => changeField(event.currentTarget.value)}
        />
        <NativeSelect
          label={words.operator}
          flex="1 1 160px"
          value={`${test.isNegated}:${test.operator}`}
          error={findProblem('operator')}
          data={operators.map(({ value, label }) => ({ value, label }))}
          onChange={(event) => changeOperator(event.currentTarget.value)}
        />
        {kind && (
          <ValueField
            channelRef={channelRef}
            test={test}
            kind={kind}
            choices={choices}
            error={findProblem('value')}
            onChange={(value) => onChange({ ...test, value })}
          />
        )}
        {onRemove && (
          <ActionIcon mt={25} size="lg" aria-label={`${words.remove} ${position}`} onClick={onRemove}>
            <Icon name="trash" />
          </ActionIcon>
        )}
      </Group>
    </Fieldset>
  );
}
