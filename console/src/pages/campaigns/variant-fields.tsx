import { Button, Checkbox, Group, NativeSelect, NumberInput, Stack, Text, Textarea } from '@mantine/core';
import type { CampaignDraft } from '../../api/campaigns.js';
import { findFieldProblem } from '../../api/client/request.js';
import type { Template } from '../../api/templates.js';
import { ParameterFields } from '../../shared/templates/parameter-fields.js';
import { PlaceholderMenu } from '../../shared/templates/placeholder-menu.js';
import { listSlots } from '../../shared/templates/template-parts.js';
import { buildComponents } from '../../shared/templates/template-send.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import { Section } from '../../ui/layout/section.js';
import { formatNumber } from '../../ui/values/numbers.js';

const words = text.campaignVariants;
const LETTERS = ['A', 'B', 'C', 'D'];
const CRITERIA = ['delivered', 'read', 'replied', 'clicked'] as const;

export interface VariantsForm {
  further: readonly { text: string; templateId: string; values: Readonly<Record<string, string>>; share: number }[];
  test: { share: number; criterion: (typeof CRITERIA)[number]; hours: number } | null;
}

export const NO_VARIANTS: VariantsForm = { further: [], test: null };

const DEFAULT_TEST = { share: 20, criterion: 'read', hours: 4 } as const;

/** @param templates null on SMS channels, which send texts */
export function toDraftVariants(
  { further, test }: VariantsForm,
  templates: readonly Template[] | null,
): Pick<CampaignDraft, 'variants' | 'test'> {
  if (further.length === 0) return {};
  const variants = further.map(({ text: ownText, templateId, values, share }) => {
    if (!templates) return { text: ownText, share };
    const template = templates.find(({ id }) => id === templateId);
    return {
      templateName: template?.name ?? '',
      language: template?.language ?? '',
      share,
      components: buildComponents(template ? listSlots(template.components) : [], values) as NonNullable<
        CampaignDraft['components']
      >,
    };
  });
  if (!test) return { variants };
  const { share, criterion, hours } = test;
  return { variants, test: { share, criterion, minutes: Math.round(hours * 60) } };
}

interface VariantFieldsProps {
  /** Null on SMS channels, which send texts. */
  templates: readonly Template[] | null;
  form: VariantsForm;
  error: unknown;
  onChange: (form: VariantsForm) => void;
}

export function VariantFields({ templates, form, error, onChange }: VariantFieldsProps) {
  const { further, test } = form;
  const change = (index: number, changes: Partial<VariantsForm['further'][number]>) =>
    onChange({
      ...form,
      further: further.map((each, position) => (position === index ? { ...each, ...changes } : each)),
    });
  const remove = (index: number) => {
    const remaining = further.filter((_, position) => position !== index);
    onChange({ further: remaining, test: remaining.length === 0 ? null : test });
  };
  const add = () => {
    const share = Math.floor(100 / (further.length + 2));
    onChange({
      ...form,
      further: [...further, { text: '', templateId: '', values: {}, share }].map((each) => ({ ...each, share })),
    });
  };
  const restOfShare = 100 - further.reduce((sum, { share }) => sum + share, 0);
  return (
    <Section title={words.title} lead={words.lead}>
      {further.map(({ text: ownText, templateId, values, share }, index) => {
        const letter = LETTERS[index + 1] ?? '';
        const template = templates?.find(({ id }) => id === templateId);
        const field = `variants[${index}]`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a variant is its position.
          <Stack key={index} gap="sm" role="group" aria-label={words.variant(letter)}>
            {templates ? (
              <NativeSelect
                label={words.template(letter)}
                required
                value={templateId}
                error={findFieldProblem(error, `${field}.templateName`)}
                onChange={({ currentTarget }) => change(index, { templateId: currentTarget.value, values: {} })}
                data={[
                  { value: '', label: text.campaigns.choose },
                  ...templates.map(({ id, name, language }) => ({ value: id, label: `${name} (${language})` })),
                ]}
              />
            ) : (
              <Group gap="xs" align="flex-end" wrap="nowrap">
                <Textarea
                  flex={1}
                  label={words.text(letter)}
                  required
                  autosize
                  minRows={3}
                  maxRows={10}
                  value={ownText}
                  error={findFieldProblem(error, `${field}.text`)}
                  onChange={({ currentTarget }) => change(index, { text: currentTarget.value })}
                />
                <PlaceholderMenu
                  label={words.text(letter)}
                  onChoose={(placeholder) => change(index, { text: `${ownText}${placeholder}` })}
                />
              </Group>
            )}
            {template && (
              <ParameterFields
                template={template.components}
                slots={listSlots(template.components)}
                values={values}
                error={error}
                onChange={(next) => change(index, { values: next })}
              />
            )}
            <Group align="flex-end">
              <NumberInput
                label={words.share(letter)}
                min={1}
                max={99}
                allowDecimal={false}
                required
                value={share}
                error={findFieldProblem(error, `${field}.share`)}
                onChange={(value) => change(index, { share: Number(value) })}
              />
              <Button variant="default" onClick={() => remove(index)} aria-label={words.remove(letter)}>
                {text.common.remove}
              </Button>
            </Group>
          </Stack>
        );
      })}
      {further.length > 0 && (
        <Text size="sm" c={restOfShare < 1 ? 'var(--mantine-color-error)' : 'dimmed'} role="status">
          {findFieldProblem(error, 'variants') ?? words.restOfShare(formatNumber(restOfShare))}
        </Text>
      )}
      {further.length < LETTERS.length - 1 && (
        <div>
          <Button variant="default" leftSection={<Icon name="plus" size={16} />} onClick={add}>
            {words.add}
          </Button>
        </div>
      )}
      {further.length > 0 && (
        <Checkbox
          label={words.test}
          checked={test !== null}
          onChange={({ currentTarget }) => onChange({ ...form, test: currentTarget.checked ? DEFAULT_TEST : null })}
        />
      )}
      {test && (
        <Group align="flex-start" grow preventGrowOverflow={false}>
          <NumberInput
            label={words.testShare}
            min={1}
            max={90}
            allowDecimal={false}
            required
            value={test.share}
            onChange={(value) => onChange({ ...form, test: { ...test, share: Number(value) } })}
          />
          <NativeSelect
            label={words.criterion}
            description={words.tieRule}
            value={test.criterion}
            onChange={({ currentTarget }) =>
              onChange({ ...form, test: { ...test, criterion: currentTarget.value as (typeof CRITERIA)[number] } })
            }
            data={CRITERIA.map((value) => ({ value, label: words.criteria[value] }))}
          />
          <NumberInput
            label={words.hours}
            min={0.1}
            max={168}
            decimalScale={1}
            required
            value={test.hours}
            onChange={(value) => onChange({ ...form, test: { ...test, hours: Number(value) } })}
          />
        </Group>
      )}
    </Section>
  );
}
