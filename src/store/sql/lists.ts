/** How a column of text keeps a list, comma-separated; an engine's `customType` makes columns of it. */
export function listOf<Item>(toItem: (text: string) => Item) {
  return {
    dataType: () => 'text',
    toDriver: (items: readonly Item[]) => items.join(','),
    fromDriver: (list: string) => list.split(',').map(toItem),
  };
}

/** The type of such a column. */
export interface ListColumn<Item> {
  data: readonly Item[];
  driverData: string;
}
