# Streamlit is not a dependency of this project: it is installed for this program alone.
# mypy: ignore-errors
"""A form that adds a line to `orders.jsonl` in its folder, and says so."""

import json
from pathlib import Path

import streamlit as st

ORDERS = Path("orders.jsonl")
st.title("Orders")
with st.form("order", clear_on_submit=True):
    customer = st.text_input("Customer")
    product = st.text_input("Product")
    if st.form_submit_button("Order"):
        if not customer or not product:
            st.error("A customer and a product are required")
        else:
            with ORDERS.open("a") as file:
                file.write(json.dumps({"customer": customer, "product": product}) + "\n")
            st.success(f"{customer} has ordered {product}")
