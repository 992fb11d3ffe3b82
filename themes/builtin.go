package themes

// The two default themes share one idea: blue speaks (the model), teal asks (the
// person), violet leads (keys, keywords, headings), green and red are left to
// what went well and what failed, amber to what wants a look. Everything else is
// a grey with a little blue in it.

func dark() Theme {
	return Theme{
		Name: "dark", Dark: true, Backdrop: "#1a1b26",

		Fg: "#d5d9e3", Dim: "#949cb0", Faint: "#4a5064", Heading: "#c9a3f5", Link: "#7cc7f2",
		Accent: "#c9a3f5", OK: "#9ad17b", Error: "#ff7f8a", Warning: "#f0b45e", Running: "#62c8f5", Mark: "#ffd072",

		SelectionFg: "#eef1f8", SelectionBg: "#37436b", CursorBg: "#282c40",
		StatusFg: "#d5d9e3", StatusBg: "#282c40",
		Border: "#3b4158", BorderFocus: "#86adff", ScrollThumb: "#737c96", ScrollTrack: "#343a50",

		RoleUser: "#5ed3c3", RoleAssistant: "#86adff", RoleReasoning: "#aba2cc", RoleSystem: "#99a7ba",
		RoleTool: "#c3c9d6", RoleInjected: "#949cb0", RoleEvent: "#949cb0",

		MatchFg: "#1a1b26", MatchBg: "#e3bf6b", MatchCurrentFg: "#1a1b26", MatchCurrentBg: "#ff9e64",
		DiffAdd: "#9ad17b", DiffDel: "#ff7f8a", DiffHunk: "#86adff",

		SyntaxKeyword: "#c9a3f5", SyntaxString: "#b3d57f", SyntaxNumber: "#f7a878", SyntaxComment: "#949cb0",
		SyntaxFunction: "#86adff", SyntaxType: "#f2c97e", SyntaxPunctuation: "#a9b1c6",

		Bar: "#86adff", BarTrack: "#343a50", BarInput: "#86adff", BarOutput: "#5ed3c3",
		BarCacheRead: "#7c77b8", BarCacheWrite: "#f0b45e", BarReasoning: "#c9a3f5",
		BarTools: "#86adff", BarModel: "#c9a3f5", BarUser: "#5ed3c3", BarIdle: "#4a5064",
	}
}

func light() Theme {
	return Theme{
		Name: "light", Backdrop: "#fafafa",

		Fg: "#1f2430", Dim: "#5a6272", Faint: "#b4bac6", Heading: "#753bbd", Link: "#0a629c",
		Accent: "#753bbd", OK: "#1d7531", Error: "#c0172d", Warning: "#8a5600", Running: "#00679b", Mark: "#8a4f00",

		SelectionFg: "#141a2a", SelectionBg: "#c9d8ff", CursorBg: "#e9eefa",
		StatusFg: "#1f2430", StatusBg: "#e4e8f1",
		Border: "#c3c9d4", BorderFocus: "#2453c6", ScrollThumb: "#7f8899", ScrollTrack: "#d9dde5",

		RoleUser: "#006f66", RoleAssistant: "#2453c6", RoleReasoning: "#67578f", RoleSystem: "#525d70",
		RoleTool: "#39404f", RoleInjected: "#5a6272", RoleEvent: "#5a6272",

		MatchFg: "#241a00", MatchBg: "#ffd866", MatchCurrentFg: "#ffffff", MatchCurrentBg: "#b34700",
		DiffAdd: "#1d7531", DiffDel: "#c0172d", DiffHunk: "#2453c6",

		SyntaxKeyword: "#753bbd", SyntaxString: "#2c6a1c", SyntaxNumber: "#a04400", SyntaxComment: "#5a6272",
		SyntaxFunction: "#2453c6", SyntaxType: "#7d5400", SyntaxPunctuation: "#4d5566",

		Bar: "#4470d9", BarTrack: "#d9dde5", BarInput: "#4470d9", BarOutput: "#0c8c80",
		BarCacheRead: "#8a80bd", BarCacheWrite: "#b8740a", BarReasoning: "#8d55d0",
		BarTools: "#4470d9", BarModel: "#8d55d0", BarUser: "#0c8c80", BarIdle: "#b4bac6",
	}
}

// The high contrast themes paint their background: 7:1 can be promised only
// where both sides are known. Nothing secondary is grey enough to be missed.

func highContrast() Theme {
	return Theme{
		Name: "high-contrast", Dark: true, Backdrop: "#000000",

		Fg: "#ffffff", Bg: "#000000", Dim: "#c8c8c8", Faint: "#808080", Heading: "#ffffff", Link: "#8fd3ff",
		Accent: "#ffd700", OK: "#5cff5c", Error: "#ff8f8f", Warning: "#ffb347", Running: "#5ce1ff", Mark: "#ffd700",

		SelectionFg: "#000000", SelectionBg: "#ffffff", CursorBg: "#202840",
		StatusFg: "#000000", StatusBg: "#ffffff",
		Border: "#909090", BorderFocus: "#ffd700", ScrollThumb: "#ffffff", ScrollTrack: "#606060",

		RoleUser: "#5cffd6", RoleAssistant: "#a8c7ff", RoleReasoning: "#dcc4ff", RoleSystem: "#d8d8d8",
		RoleTool: "#ffffff", RoleInjected: "#c8c8c8", RoleEvent: "#c8c8c8",

		MatchFg: "#000000", MatchBg: "#ffe14d", MatchCurrentFg: "#000000", MatchCurrentBg: "#ff9d3b",
		DiffAdd: "#5cff5c", DiffDel: "#ff8f8f", DiffHunk: "#8fd3ff",

		SyntaxKeyword: "#e5b3ff", SyntaxString: "#b8ff7a", SyntaxNumber: "#ffb98a", SyntaxComment: "#c8c8c8",
		SyntaxFunction: "#a8c7ff", SyntaxType: "#ffe08a", SyntaxPunctuation: "#ffffff",

		Bar: "#ffffff", BarTrack: "#606060", BarInput: "#a8c7ff", BarOutput: "#5cffd6",
		BarCacheRead: "#b09cff", BarCacheWrite: "#ffb347", BarReasoning: "#e5b3ff",
		BarTools: "#a8c7ff", BarModel: "#e5b3ff", BarUser: "#5cffd6", BarIdle: "#808080",
	}
}

func highContrastLight() Theme {
	return Theme{
		Name: "high-contrast-light", Backdrop: "#ffffff",

		Fg: "#000000", Bg: "#ffffff", Dim: "#3a3a3a", Faint: "#808080", Heading: "#000000", Link: "#003f8a",
		Accent: "#4b0091", OK: "#004d0d", Error: "#8f0012", Warning: "#5e3500", Running: "#00426b", Mark: "#5e3500",

		SelectionFg: "#ffffff", SelectionBg: "#000000", CursorBg: "#e0e8ff",
		StatusFg: "#ffffff", StatusBg: "#000000",
		Border: "#6a6a6a", BorderFocus: "#4b0091", ScrollThumb: "#000000", ScrollTrack: "#a0a0a0",

		RoleUser: "#00493f", RoleAssistant: "#002e8a", RoleReasoning: "#432a72", RoleSystem: "#303030",
		RoleTool: "#000000", RoleInjected: "#3a3a3a", RoleEvent: "#3a3a3a",

		MatchFg: "#000000", MatchBg: "#ffd000", MatchCurrentFg: "#ffffff", MatchCurrentBg: "#7a2e00",
		DiffAdd: "#004d0d", DiffDel: "#8f0012", DiffHunk: "#002e8a",

		SyntaxKeyword: "#4b0091", SyntaxString: "#1d4a00", SyntaxNumber: "#6b2c00", SyntaxComment: "#3a3a3a",
		SyntaxFunction: "#002e8a", SyntaxType: "#553a00", SyntaxPunctuation: "#000000",

		Bar: "#000000", BarTrack: "#a0a0a0", BarInput: "#002e8a", BarOutput: "#00493f",
		BarCacheRead: "#6a55b0", BarCacheWrite: "#8a5200", BarReasoning: "#4b0091",
		BarTools: "#002e8a", BarModel: "#4b0091", BarUser: "#00493f", BarIdle: "#808080",
	}
}

// The colour-blind themes are made from the colours of Okabe and Ito: what went
// well is blue, what failed is vermilion, and no two states that stand side by
// side differ by red against green alone. They hold for deuteranopia and
// protanopia.

func colourBlind() Theme {
	return Theme{
		Name: "colour-blind", Dark: true, Backdrop: "#1a1b26",

		Fg: "#dcdfe6", Dim: "#9aa1b2", Faint: "#4a5064", Heading: "#f0e442", Link: "#7cc4f0",
		Accent: "#f0e442", OK: "#67bdf0", Error: "#ff7d45", Warning: "#f8ec80", Running: "#dba6c9", Mark: "#f0e442",

		SelectionFg: "#ffffff", SelectionBg: "#2f4a78", CursorBg: "#282c40",
		StatusFg: "#dcdfe6", StatusBg: "#282c40",
		Border: "#3f455c", BorderFocus: "#f0e442", ScrollThumb: "#7a8299", ScrollTrack: "#343a50",

		RoleUser: "#f0e442", RoleAssistant: "#67bdf0", RoleReasoning: "#dba6c9", RoleSystem: "#9fabbd",
		RoleTool: "#dcdfe6", RoleInjected: "#9aa1b2", RoleEvent: "#9aa1b2",

		MatchFg: "#16171f", MatchBg: "#f0e442", MatchCurrentFg: "#16171f", MatchCurrentBg: "#ff8a4c",
		DiffAdd: "#67bdf0", DiffDel: "#ff7d45", DiffHunk: "#dba6c9",

		SyntaxKeyword: "#dba6c9", SyntaxString: "#9fd0ee", SyntaxNumber: "#f2b04a", SyntaxComment: "#9aa1b2",
		SyntaxFunction: "#67bdf0", SyntaxType: "#f0e442", SyntaxPunctuation: "#b4bac8",

		Bar: "#67bdf0", BarTrack: "#343a50", BarInput: "#3f8fd0", BarOutput: "#f0e442",
		BarCacheRead: "#8b93a6", BarCacheWrite: "#e69f00", BarReasoning: "#dba6c9",
		BarTools: "#3f8fd0", BarModel: "#dba6c9", BarUser: "#f0e442", BarIdle: "#4a5064",
	}
}

func colourBlindLight() Theme {
	return Theme{
		Name: "colour-blind-light", Backdrop: "#fafafa",

		Fg: "#1f2430", Dim: "#5a6272", Faint: "#b4bac6", Heading: "#7d2d62", Link: "#005f99",
		Accent: "#7d2d62", OK: "#0062a3", Error: "#ad4200", Warning: "#9b2f66", Running: "#1a6a66", Mark: "#705a00",

		SelectionFg: "#0d1a2b", SelectionBg: "#bcdcf5", CursorBg: "#e9eefa",
		StatusFg: "#1f2430", StatusBg: "#e4e8f1",
		Border: "#c3c9d4", BorderFocus: "#0062a3", ScrollThumb: "#7f8899", ScrollTrack: "#d9dde5",

		RoleUser: "#6b5200", RoleAssistant: "#0062a3", RoleReasoning: "#8a4473", RoleSystem: "#525d70",
		RoleTool: "#39404f", RoleInjected: "#5a6272", RoleEvent: "#5a6272",

		MatchFg: "#241a00", MatchBg: "#f5dc4a", MatchCurrentFg: "#ffffff", MatchCurrentBg: "#ad4200",
		DiffAdd: "#0062a3", DiffDel: "#ad4200", DiffHunk: "#8f3a72",

		SyntaxKeyword: "#8f3a72", SyntaxString: "#1d5c85", SyntaxNumber: "#9c4500", SyntaxComment: "#5a6272",
		SyntaxFunction: "#0062a3", SyntaxType: "#6b5200", SyntaxPunctuation: "#4d5566",

		Bar: "#0072b2", BarTrack: "#d9dde5", BarInput: "#0072b2", BarOutput: "#9c7a00",
		BarCacheRead: "#7f8899", BarCacheWrite: "#d55e00", BarReasoning: "#c2709f",
		BarTools: "#0072b2", BarModel: "#c2709f", BarUser: "#9c7a00", BarIdle: "#b4bac6",
	}
}

// The ANSI themes take the user's own palette, so text is left to the terminal's
// foreground and blue (4), which most palettes make unreadable on black, is not
// used in the dark one. On a terminal that hides "8" (Solarized) a theme file of
// two lines, extends and dim, mends it.

func ansi() Theme {
	return Theme{
		Name: "ansi", Dark: true, ANSI: true, Backdrop: "#000000",

		Dim: "8", Faint: "8", Heading: "13", Link: "14",
		Accent: "13", OK: "10", Error: "9", Warning: "11", Running: "14", Mark: "11",

		SelectionFg: "0", SelectionBg: "7", StatusFg: "0", StatusBg: "7",
		Border: "8", BorderFocus: "14", ScrollThumb: "7", ScrollTrack: "8",

		RoleUser: "10", RoleAssistant: "14", RoleReasoning: "13",
		RoleSystem: "7", RoleInjected: "8", RoleEvent: "8",

		MatchFg: "0", MatchBg: "11", MatchCurrentFg: "0", MatchCurrentBg: "13",
		DiffAdd: "10", DiffDel: "9", DiffHunk: "14",

		SyntaxKeyword: "13", SyntaxString: "10", SyntaxNumber: "11", SyntaxComment: "8",
		SyntaxFunction: "14", SyntaxType: "11",

		Bar: "14", BarTrack: "8", BarInput: "14", BarOutput: "10",
		BarCacheRead: "8", BarCacheWrite: "11", BarReasoning: "13",
		BarTools: "14", BarModel: "13", BarUser: "10", BarIdle: "8",
	}
}

func ansiLight() Theme {
	return Theme{
		Name: "ansi-light", ANSI: true, Backdrop: "#ffffff",

		Dim: "8", Faint: "7", Heading: "5", Link: "4",
		Accent: "5", OK: "2", Error: "1", Warning: "3", Running: "4", Mark: "3",

		SelectionFg: "15", SelectionBg: "0", StatusFg: "15", StatusBg: "0",
		Border: "7", BorderFocus: "4", ScrollThumb: "8", ScrollTrack: "7",

		RoleUser: "2", RoleAssistant: "4", RoleReasoning: "5",
		RoleSystem: "8", RoleInjected: "8", RoleEvent: "8",

		MatchFg: "15", MatchBg: "4", MatchCurrentFg: "15", MatchCurrentBg: "1",
		DiffAdd: "2", DiffDel: "1", DiffHunk: "4",

		SyntaxKeyword: "5", SyntaxString: "2", SyntaxNumber: "3", SyntaxComment: "8",
		SyntaxFunction: "4", SyntaxType: "3",

		Bar: "4", BarTrack: "7", BarInput: "4", BarOutput: "2",
		BarCacheRead: "6", BarCacheWrite: "3", BarReasoning: "5",
		BarTools: "4", BarModel: "5", BarUser: "2", BarIdle: "7",
	}
}
