/** Light, dark, or as the system has it. */

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'perception-theme';

export function savedTheme(): Theme {
  const saved = localStorage.getItem(KEY);
  return THEMES.find((each) => each === saved) ?? 'auto';
}

export function applyTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
