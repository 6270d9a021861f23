import { Grid, Group, Stack, TextInput } from '@mantine/core';
import { ApiError } from '../../api/client/request.js';
import { PlaceholderMenu } from './placeholder-menu.js';
import { formatSlotLabel, toInputProps } from './slot-label.js';
import type { Slot } from './template-parts.js';
import { TemplatePreview } from './template-preview.js';
import { buildComponents, locateParameter } from './template-send.js';
import type { Components } from './template-view.js';

interface ParameterFieldsProps {
  template: Components;
  slots: readonly Slot[];
  values: Readonly<Record<string, string>>;
  /** Error of the send request, whose field names are paths within the request's components. */
  error?: unknown;
  /** Path of the components in the request, for example `steps[1].components`; by default `components`. */
  root?: string;
  more?: readonly string[];
  onChange(values: Readonly<Record<string, string>>): void;
}

export function ParameterFields({ template, slots, values, error, root, more = [], onChange }: ParameterFieldsProps) {
  const problems = problemsBySlot(slots, values, error, root ?? 'components');
  return (
    <Grid gap="lg">
      {slots.length > 0 && (
        <Grid.Col span={{ base: 12, sm: 6 }}>
          <Stack gap="sm">
            {slots.map((slot) => {
              const label = formatSlotLabel(slot);
              const value = values[slot.id] ?? '';
              return (
                <Group key={slot.id} gap="xs" align="flex-end" wrap="nowrap">
                  <TextInput
                    flex={1}
                    label={label}
                    value={value}
                    required
                    placeholder={slot.example}
                    error={problems.get(slot.id)}
                    {...toInputProps(slot)}
                    onChange={(event) => onChange({ ...values, [slot.id]: event.currentTarget.value })}
                  />
                  {slot.kind !== 'time' && (
                    <PlaceholderMenu
                      label={label}
                      more={more}
                      onChoose={(placeholder) => onChange({ ...values, [slot.id]: `${value}${placeholder}` })}
                    />
                  )}
                </Group>
              );
            })}
          </Stack>
        </Grid.Col>
      )}
      <Grid.Col span={{ base: 12, sm: 6 }}>
        <TemplatePreview components={template} values={values} />
      </Grid.Col>
    </Grid>
  );
}

function problemsBySlot(
  slots: readonly Slot[],
  values: Readonly<Record<string, string>>,
  error: unknown,
  root: string,
): Map<string, string> {
  const problems = new Map<string, string>();
  if (!(error instanceof ApiError)) return problems;
  const components = buildComponents(slots, values);
  for (const slot of slots) {
    const location = locateParameter(components, slots, slot);
    const problem = location && error.details.find(({ field }) => field.startsWith(`${root}${location.path}`));
    if (problem) problems.set(slot.id, problem.message);
  }
  return problems;
}
