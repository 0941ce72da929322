/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "record/runtimes/v8/v8_builtin.h"

/* Frames of builtins are not shown if the name begins with one of these prefixes. */
static const char *const silent_builtins[] = { "AdaptorWith",
	"ArgumentsAdaptor", "BaselineO", "CEntry_", "CallApiCallback",
	"CallFunction", "CallVarargs", "CallForwardVarargs",
	"CallFunctionForwardVarargs", "Call_", "CallBoundFunction",
	"CallWithSpread", "CallWithArrayLike", "ConstructFunction",
	"ConstructVarargs", "ConstructForwardVarargs", "ConstructWithSpread",
	"ConstructWithArrayLike", "Construct_", "ConstructedNonConstructable",
	"DeoptimizationEntry_", "DirectCEntry", "FunctionPrototypeApply",
	"FunctionPrototypeCall", "HandleApiCall", "InterpreterEnterAt",
	"InterpreterPushArgs", "InterpreterOnStackReplacement",
	"JSBuiltinsConstructStub", "JSConstructStub", "JSEntryTrampoline",
	"JSConstructEntryTrampoline", "JSRunMicrotasksEntryTrampoline",
	"NotifyDeoptimized", "ResumeGeneratorTrampoline", "InstantiateAsmJs",
	"FastConstruct", "InterpreterForwardAllArgs", "MaglevO", "WasmCEntry",
	"ContinueTo", "InterpreterPushArgs", "WasmToJsWrapper", "JSToWasm" };

enum v8_builtin_kind v8_builtin_kind_of(const char *name)
{
	size_t n = strlen(name), i;

	if (string_is(name, "JSEntry") || string_is(name, "JSConstructEntry") ||
		string_is(name, "JSRunMicrotasksEntry"))
		return V8_BUILTIN_ENTRY;
	if (string_starts(name, "InterpreterEntryTrampoline"))
		return V8_BUILTIN_INTERPRETER;
	if (string_is(name, "BaselineOutOfLinePrologue"))
		return V8_BUILTIN_PROLOGUE;
	if (n > 7 && string_is(name + n - 7, "Handler"))
		return V8_BUILTIN_HANDLER;
	if (string_is(name, "Construct"))
		return V8_BUILTIN_SILENT;
	for (i = 0; i < ARRAY_SIZE(silent_builtins); i++)
		if (string_starts(name, silent_builtins[i]))
			return V8_BUILTIN_SILENT;
	return V8_BUILTIN;
}

/*
 * Returns the number of bytes below rbp that the instructions at CODE allocate. CODE
 * follows "mov rbp, rsp". The instructions are pushes of a frame type or of registers,
 * and a subtraction from rsp.
 */
static uint32_t site_frame_size(const uint8_t *code, size_t n)
{
	uint32_t size = 0;
	size_t i = 0;

	while (i + 4 <= n) {
		if (code[i] >= 0x50 && code[i] <= 0x57) { /* push reg */
			i += 1;
			size += 8;
		} else if (code[i] == 0x6a) { /* push imm8 */
			i += 2;
			size += 8;
		} else if (code[i] == 0x41 && (code[i + 1] & 0xf8) == 0x50) {
			i += 2;
			size += 8;
		} else {
			break;
		}
	}
	if (i + 4 <= n && code[i] == 0x48 && code[i + 1] == 0x83 &&
		code[i + 2] == 0xec) /* sub rsp, imm8 */
		return size + code[i + 3];
	if (i + 7 <= n && code[i] == 0x48 && code[i + 1] == 0x81 &&
		code[i + 2] == 0xec) /* sub rsp, imm32 */
		return size +
			(code[i + 3] | (uint32_t)code[i + 4] << 8 |
				(uint32_t)code[i + 5] << 16);
	return size;
}

void v8_builtin_find_sites(
	struct v8_builtin *builtin, const uint8_t *code, size_t n)
{
	/* push rbp; mov rbp, rsp: two encodings of the second instruction */
	static const uint8_t enter[2][4] = { { 0x55, 0x48, 0x89, 0xe5 },
		{ 0x55, 0x48, 0x8b, 0xec } };
	size_t i;

	for (i = 0; i + 4 <= n && builtin->n_sites <= V8_SITES_MAX; i++) {
		if (memcmp(code + i, enter[0], 4) != 0 &&
			memcmp(code + i, enter[1], 4) != 0)
			continue;
		if (builtin->n_sites < V8_SITES_MAX)
			builtin->sites[builtin->n_sites] = (struct v8_site){
				(uint32_t)i,
				site_frame_size(code + i + 4, n - i - 4),
				i + 6 <= n && code[i + 4] == 0x6a ? code[i + 5]
								  : 0
			};
		builtin->n_sites++;
	}
}
