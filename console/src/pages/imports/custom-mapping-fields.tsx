import { MultiSelect, Select, SimpleGrid, TagsInput } from '@mantine/core';
import type { ContactField } from '../../api/account/contact-fields.js';
import { text } from '../../text/en.js';
import type { CustomMapping } from './custom-columns.js';

const words = text.imports;

interface CustomMappingFieldsProps {
  fields: readonly ContactField[];
  columns: readonly { value: string; label: string }[];
  /** Columns that no field uses. */
  unusedColumns: readonly { value: string; label: string }[];
  mapping: CustomMapping;
  onChange(mapping: CustomMapping): void;
  tags: string[];
  knownTags: readonly string[];
  onTagsChange(tags: string[]): void;
}

export function CustomMappingFields(props: CustomMappingFieldsProps) {
  const { fields, columns, unusedColumns, mapping, onChange, tags, knownTags, onTagsChange } = props;
  const column = (label: string, index: number | null, set: (index: number | null) => void) => (
    <Select
      key={label}
      label={label}
      placeholder={words.none}
      data={columns}
      value={index === null ? null : String(index)}
      onChange={(value) => set(value === null ? null : Number(value))}
      clearable
      clearButtonProps={{ 'aria-label': text.common.clear }}
    />
  );
  const setField = (key: string, index: number | null) => {
    const { [key]: _previous, ...others } = mapping.fields;
    onChange({ ...mapping, fields: index === null ? others : { ...others, [key]: index } });
  };
  const addedColumns = columns.filter(({ value }) => mapping.added.includes(Number(value)));
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }}>
        {column(words.tagsColumn, mapping.tags, (index) => onChange({ ...mapping, tags: index }))}
        {fields.map(({ key, label }) => column(label, mapping.fields[key] ?? null, (index) => setField(key, index)))}
      </SimpleGrid>
      {unusedColumns.length + addedColumns.length > 0 && (
        <MultiSelect
          label={words.newFields}
          description={words.newFieldsHint}
          data={[...addedColumns, ...unusedColumns]}
          value={mapping.added.map(String)}
          onChange={(values) => onChange({ ...mapping, added: values.map(Number) })}
          clearable
          clearButtonProps={{ 'aria-label': text.common.clear }}
          maw={520}
        />
      )}
      <TagsInput
        comboboxProps={{ withinPortal: false }}
        label={words.tags}
        description={words.tagsHint}
        data={[...knownTags]}
        value={tags}
        onChange={onTagsChange}
        acceptValueOnBlur
        maw={520}
      />
    </>
  );
}
