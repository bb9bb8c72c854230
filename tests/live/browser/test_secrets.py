"""What must not leave a page: passwords never do; card numbers, codes and what a page marks only for who asks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from perception.deadline import Deadline
from perception.types import Capture, Element, Engine
from tests.support.sheet import Sheet

SECRET = "4929 0000 1111"
BOXES = "".join(f'<input maxlength=1 value={digit} aria-label="Digit {digit} of 6">' for digit in range(1, 7))
CARD = "<label>Card number <input></label>"


def first(capture: Capture, *roles: str) -> Element:
    return next(element for element in capture.elements if element.role in roles)


def says(capture: Capture) -> str:
    """All that a capture holds, in one string."""
    # Numbers and ids are random: some hold any four digits.
    return repr([replace(each, node=None, covered_by=None, frame="") for each in capture.elements])


async def fill(sheet: Sheet, html: str, text: str = SECRET) -> None:
    """Shows fields that are filled: what a person types is in no attribute."""
    await sheet.write(f"<!doctype html>{html}")
    await sheet.tab.page.evaluate(
        "text => document.querySelectorAll('input, textarea').forEach(each => each.value = text)", text
    )


PASSWORDS = [
    pytest.param("<input type=password>", id="type"),
    pytest.param("<input autocomplete=current-password>", id="shown-current"),
    pytest.param("<input autocomplete='section-a new-password'>", id="shown-new"),
    pytest.param("<label>Passwort <input autocomplete=new-password></label>", id="shown-new-with-a-label"),
    pytest.param("<label>Salasana <input autocomplete=new-password></label>", id="shown-new-with-an-unknown-label"),
    pytest.param("<textarea autocomplete=new-password></textarea>", id="several-lines-new"),
    pytest.param("<textarea autocomplete='section-a current-password'></textarea>", id="several-lines-current"),
    pytest.param("<input name=user_password>", id="name"),
    pytest.param("<input id=txtNewPassword2>", id="id"),
    pytest.param("<label>Passwort <input></label>", id="german"),
    pytest.param("<label>Mot de passe<input></label>", id="french"),
    pytest.param("<input placeholder='Contraseña'>", id="spanish"),
    pytest.param("<input aria-label='パスワード'>", id="japanese"),
    pytest.param("<input aria-label='Введите пароль'>", id="russian"),
    pytest.param("<input aria-label='请输入密码'>", id="chinese"),
]

PRIVATE = [
    pytest.param("<input autocomplete=cc-number>", id="cc-number"),
    pytest.param("<input autocomplete='billing cc-csc'>", id="cc-csc"),
    pytest.param("<input autocomplete=cc-exp>", id="cc-exp"),
    pytest.param("<input autocomplete=cc-name>", id="cc-name"),
    pytest.param("<input autocomplete=one-time-code>", id="one-time-code"),
    pytest.param("<textarea autocomplete=one-time-code></textarea>", id="one-time-code-of-several-lines"),
    pytest.param("<input type=tel name=cardNumber>", id="name-camel-case"),
    pytest.param("<input name=cardnumber>", id="name-one-word"),
    pytest.param("<input id=cc-num>", id="id"),
    pytest.param("<input placeholder='CVV'>", id="cvv"),
    pytest.param("<label>Security code <input></label>", id="security-code"),
    pytest.param("<label for=a>Kartennummer</label><input id=a>", id="german-card"),
    pytest.param("<label>Prüfziffer<input></label>", id="german-cvc"),
    pytest.param("<label>Numéro de carte<input></label>", id="french-card"),
    pytest.param("<label>Número de tarjeta<input></label>", id="spanish-card"),
    pytest.param("<span id=l>Номер карты</span><input aria-labelledby=l>", id="russian-card"),
    pytest.param("<input aria-label='カード番号'>", id="japanese-card"),
    pytest.param("<input aria-label='信用卡号'>", id="chinese-card"),
    pytest.param("<table><tr><td>Card number<td><input></table>", id="table-cell-before"),
    pytest.param("<input name=otp>", id="otp"),
    pytest.param("<label>Enter the 6-digit verification code <input></label>", id="verification-code"),
    pytest.param("<label>Bestätigungscode<input></label>", id="german-code"),
    pytest.param("<input placeholder='验证码'>", id="chinese-code"),
    pytest.param("<input aria-label='Your PIN'>", id="pin"),
    pytest.param("<input style='-webkit-text-security: disc'>", id="painted-as-dots"),
    pytest.param("<input data-sensitive>", id="data-sensitive"),
    pytest.param("<input class='field ph-no-capture'>", id="class"),
    pytest.param("<div data-private><input></div>", id="within-a-marked-element"),
    pytest.param("<form data-dd-privacy=mask-user-input><input></form>", id="inputs-of-a-form"),
    pytest.param("<textarea class=fs-mask></textarea>", id="textarea"),
    pytest.param("<form><label>Valid thru<input></label><input name=cvc></form>", id="expiry-of-a-card"),
]

HARMLESS = [
    pytest.param("<label>City<b class=select><input autocomplete=new-password></b></label>", id="of-a-list"),
    pytest.param("<label>Shipping address <input></label>", id="pin-in-shipping"),
    pytest.param("<input name=shipping_pincode autocomplete=postal-code>", id="postal-pincode"),
    pytest.param("<input name=cardTitle>", id="card-title"),
    pytest.param("<label>Business card text <input></label>", id="card-text"),
    pytest.param("<input name=passenger>", id="passenger"),
    pytest.param("<label>Passport number <input></label>", id="passport"),
    pytest.param("<label>Password hint <input></label>", id="password-hint"),
    pytest.param("<input type=search aria-label='Search passwords'>", id="search-passwords"),
    pytest.param("<input type=number aria-label='Password length'>", id="password-length"),
    pytest.param("<label>Expiry date <input></label>", id="expiry-of-something-else"),
    pytest.param("<label>Pin title <input></label>", id="pinned"),
    pytest.param("<label>Postal code <input></label>", id="postal-code"),
    pytest.param("<label>Promo code <input></label>", id="promo-code"),
    pytest.param("<label>Account <input name=accountexp></label>", id="exp-in-a-word"),
    pytest.param("<input data-mask='000-000'>", id="input-format"),
    pytest.param("<input data-inputmask-alias=datetime data-mask>", id="input-with-a-format"),
    pytest.param("<form data-toggle=dialog data-mask=true><input></form>", id="dialog-with-a-backdrop"),
    pytest.param("<div data-mask><label>Name <input></label></div>", id="clipped"),
    pytest.param("<input data-sensitive=false>", id="switched-off"),
    pytest.param("<div data-dd-privacy=mask><p data-dd-privacy=allow><input></div>", id="allowed-again"),
    pytest.param("<label>Discard changes since <input></label>", id="card-in-discard"),
    pytest.param("<label>Captain <input></label>", id="tan-in-captain"),
]


@pytest.mark.parametrize("engine", list(Engine))
@pytest.mark.parametrize("html", PASSWORDS)
async def test_password_is_never_revealed(sheet: Sheet, html: str, engine: Engine) -> None:
    await fill(sheet, html)
    for reveal in (False, True):
        capture = await sheet.look(reveal=reveal, engine=engine)
        assert "4929" not in says(capture)
        assert "password filled" in first(capture, "textbox").states


@pytest.mark.parametrize("engine", list(Engine))
@pytest.mark.parametrize("html", PRIVATE)
async def test_private_field_shows_only_that_it_is_filled(sheet: Sheet, html: str, engine: Engine) -> None:
    await fill(sheet, html)
    capture = await sheet.look(engine=engine)
    assert "4929" not in says(capture)
    element = first(capture, "textbox")
    assert {"masked", "filled"} <= set(element.states)
    assert element.sensitive


@pytest.mark.parametrize("html", PRIVATE)
async def test_private_field_is_revealed_on_request_and_then_no_more(sheet: Sheet, html: str) -> None:
    await fill(sheet, html)
    element = first(await sheet.look(reveal=True), "textbox")
    assert (element.value, element.sensitive) == (SECRET, False)
    assert "masked" not in element.states
    assert "4929" not in says(await sheet.look())


@pytest.mark.parametrize("html", HARMLESS)
async def test_harmless_field_is_revealed(sheet: Sheet, html: str) -> None:
    await fill(sheet, html, "492900001111")
    element = first(await sheet.look(), "textbox", "searchbox", "spinbutton")
    assert (element.value, element.states) == ("492900001111", ())


async def test_empty_private_field_is_not_called_filled(sheet: Sheet) -> None:
    await sheet.write("<!doctype html>" + CARD)
    element = first(await sheet.look(), "textbox")
    assert (element.name, element.states) == ("Card number", ("masked",))


async def test_password_stays_one_while_a_button_shows_it(sheet: Sheet) -> None:
    await fill(sheet, "<input type=password id=x>")
    await sheet.look()
    await sheet.tab.page.evaluate("document.querySelector('input').type = 'text'")
    capture = await sheet.look(reveal=True)
    assert "4929" not in says(capture)
    assert "password filled" in first(capture, "textbox").states


SWAP = """
  const hidden = document.querySelector('input[type=password]'), shown = document.createElement('input');
  shown.value = hidden.value; shown.setAttribute('aria-label', 'Key');
"""


@pytest.mark.parametrize("engine", list(Engine))
@pytest.mark.parametrize(
    ("html", "swap"),
    [
        pytest.param("<p><input type=password id=x></p>", "shown.id = 'x'; hidden.replaceWith(shown)", id="same-id"),
        pytest.param("<p><input type=password></p>", "hidden.replaceWith(shown)", id="same-value"),
        pytest.param(
            "<p><input type=password></p>", "hidden.style.display = 'none'; document.body.append(shown)", id="elsewhere"
        ),
        pytest.param(
            "<p><input type=password></p>",
            "hidden.parentNode.style.opacity = 0; document.body.append(shown)",
            id="faded",
        ),
    ],
)
async def test_password_stays_one_in_a_field_that_takes_the_place_of_its_own(
    sheet: Sheet, html: str, swap: str, engine: Engine
) -> None:
    await sheet.write(f"<!doctype html>{html}")
    await sheet.look(engine=engine)
    await sheet.tab.page.locator("input").fill(SECRET)  # nobody looks before it is shown
    await sheet.tab.page.evaluate(SWAP + swap)
    capture = await sheet.look(reveal=True, engine=engine)
    assert "4929" not in says(capture)
    assert "password filled" in first(capture, "textbox").states


async def test_fields_beside_a_password_are_revealed(sheet: Sheet) -> None:
    await fill(sheet, "<p><input type=password><input name=user></p>")
    assert [each.value for each in (await sheet.look()).elements if each.role == "textbox"] == ["", SECRET]
    await sheet.tab.page.evaluate(SWAP + "hidden.remove(); document.querySelector('input').value = 'Ada'")
    assert first(await sheet.look(), "textbox").value == "Ada"


async def test_field_that_became_another_one_is_revealed(sheet: Sheet) -> None:
    await fill(sheet, "<input type=password name=password>")
    await sheet.look()
    await sheet.tab.page.evaluate("const x = document.querySelector('input'); x.type = 'text'; x.name = 'city'")
    assert first(await sheet.look(), "textbox").value == SECRET


async def test_row_of_boxes_for_a_code_is_masked(sheet: Sheet) -> None:
    await sheet.write("<!doctype html>" + f"<div>{BOXES}</div>")
    boxes = [element for element in (await sheet.look()).elements if element.role == "textbox"]
    assert [box.value for box in boxes] == [""] * 6
    assert all("masked" in box.states for box in boxes)


async def test_boxes_of_a_puzzle_are_revealed(sheet: Sheet) -> None:
    await sheet.write("<!doctype html>" + f"<div>{BOXES}</div>" * 5)
    boxes = [element for element in (await sheet.look()).elements if element.role == "textbox"]
    assert {box.value for box in boxes} == set("123456")


async def test_chosen_month_of_a_card_is_masked_and_its_choices_are_not(sheet: Sheet) -> None:
    await sheet.write("<!doctype html>" + "<select autocomplete=cc-exp-month><option>01<option selected>07</select>")
    element = first(await sheet.look(), "combobox")
    assert (element.value, element.options) == ("", ("01", "07"))


@pytest.mark.parametrize("engine", list(Engine))
@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<p class=sentry-mask>Jane Doe</p>", id="text"),
        pytest.param("<p>Dear <b data-hj-suppress>Jane Doe</b>, welcome</p>", id="part-of-a-line"),
        pytest.param("<h1>Account of <span data-private>Jane Doe</span></h1>", id="heading"),
        pytest.param("<button class=ph-no-capture>Jane Doe</button>", id="button"),
        pytest.param("<div data-sensitive><button>Jane Doe</button></div>", id="button-within"),
        pytest.param("<div class=rr-block><img alt='Jane Doe' width=50 height=50></div>", id="picture"),
        pytest.param("<table><tr><td>7<td data-clarity-mask=true>Jane Doe</table>", id="table-row"),
        pytest.param("<label data-private for=a>Jane Doe</label><input id=a>", id="label"),
        pytest.param("<span id=b data-private>Jane Doe</span><button aria-labelledby=b></button>", id="labelledby"),
        pytest.param("<a href=# class=fs-exclude title='Jane Doe'>Jane Doe</a>", id="title"),
        pytest.param("<p style='-webkit-text-security: disc'>Jane Doe</p>", id="painted-as-dots"),
        pytest.param("<select data-private><option>Jane Doe</select>", id="select"),
        pytest.param("<div data-private contenteditable>Jane Doe</div>", id="contenteditable"),
        pytest.param("<div data-private><template shadowrootmode=open>Jane Doe</template></div>", id="shadow"),
        pytest.param("<div data-private><template shadowrootmode=closed><b>Jane Doe</b></template></div>", id="closed"),
        pytest.param("<iframe srcdoc='<p data-private>Jane Doe'></iframe>", id="frame"),
        pytest.param(
            "<button style='position:absolute;top:0;left:0'>Below</button>"
            "<div data-private style='position:absolute;top:0;left:0;background:red'>Jane Doe Jane Doe</div>",
            id="what-covers-something",
        ),
        pytest.param("<label>Pay <input name=cvc value='Jane Doe'> now <input type=checkbox></label>", id="in-a-label"),
    ],
)
async def test_marked_content_is_not_revealed(sheet: Sheet, html: str, engine: Engine) -> None:
    await sheet.write("<!doctype html>" + html)
    assert "Jane" not in says(await sheet.look(engine=engine))
    assert "Jane" not in says(await sheet.look(engine=engine))


async def test_marked_text_is_listed_as_masked(sheet: Sheet) -> None:
    await sheet.write(
        "<!doctype html>" + "<p>Dear <b data-private>Jane</b>, welcome</p><p data-private>Your balance</p>"
    )
    lines = [(each.name, each.states) for each in (await sheet.look()).elements if each.role == "text"]
    assert lines == [("Dear , welcome", ("masked",)), ("", ("masked",))]
    lines = [(each.name, each.states) for each in (await sheet.look(reveal=True)).elements if each.role == "text"]
    assert lines == [("Dear Jane, welcome", ()), ("Your balance", ())]


async def test_mark_that_comes_later_counts(sheet: Sheet) -> None:
    await sheet.write("<!doctype html>" + "<p id=p>Jane Doe</p>")
    assert "Jane" in says(await sheet.look())
    await sheet.tab.page.evaluate("document.getElementById('p').className = 'rr-mask'")
    assert "Jane" not in says(await sheet.look())
    await sheet.tab.page.evaluate("document.getElementById('p').className = ''")
    assert "Jane" in says(await sheet.look())


async def test_look_after_a_screenshot_sees_what_changed_before_it(sheet: Sheet) -> None:
    await sheet.write("<!doctype html>" + "<p id=p>Before</p>")
    await sheet.look()
    await sheet.tab.page.evaluate("document.getElementById('p').textContent = 'After'")
    await sheet.tab.capturer.capture_pixels(Deadline.of(20))
    assert "After" in says(await sheet.look())
