/** Makes elements. Texts are always set as text, never as markup. */

export type Child = Node | string | false | null | undefined;

export interface Properties {
  class?: string;
  title?: string;
  role?: string;
  hidden?: boolean;
  disabled?: boolean;
  tabIndex?: number;
  /** ARIA attributes and data attributes by their full names. */
  attributes?: Record<string, string | undefined>;
  onClick?: (event: MouseEvent) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
}

/** An element with properties and children; children that are nothing are left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (properties.class) element.className = properties.class;
  if (properties.title) element.title = properties.title;
  if (properties.role) element.setAttribute("role", properties.role);
  if (properties.hidden) element.hidden = true;
  if (properties.disabled) element.setAttribute("disabled", "");
  if (properties.tabIndex !== undefined) element.tabIndex = properties.tabIndex;
  for (const [name, value] of Object.entries(properties.attributes ?? {})) {
    if (value !== undefined) element.setAttribute(name, value);
  }
  if (properties.onClick) element.addEventListener("click", properties.onClick as EventListener);
  if (properties.onKeyDown) element.addEventListener("keydown", properties.onKeyDown as EventListener);
  append(element, children);
  return element;
}

/** Replace all children. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

/** One of VS Code's own icons; it says nothing to screen readers. */
export function icon(name: string, extra = ""): HTMLElement {
  return h("span", {
    class: `codicon codicon-${name} ${extra}`.trim(),
    attributes: { "aria-hidden": "true" },
  });
}

/** A button that is only an icon; its name is its tooltip and what screen readers say. */
export function iconButton(
  name: string,
  label: string,
  onClick: (event: MouseEvent) => void,
): HTMLButtonElement {
  const button = h(
    "button",
    { class: "icon-button", title: label, attributes: { "aria-label": label }, onClick },
    icon(name),
  );
  button.type = "button";
  return button;
}

/** A button with a text. */
export function textButton(
  label: string,
  onClick: (event: MouseEvent) => void,
  kind: "primary" | "secondary" | "quiet" = "secondary",
): HTMLButtonElement {
  const button = h("button", { class: `button ${kind}`, onClick }, label);
  button.type = "button";
  return button;
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}
